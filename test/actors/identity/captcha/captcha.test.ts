/** A captcha before a sign-up. Spec: docs/contract/identity-captcha.md: nothing is looked at before it, nothing is stored for it, and it counts once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { AskedCaptcha, CaptchaDefinition } from '#config/definitions/captcha-section.ts';
import { siteVerify } from '#actors/kit/captcha/site-verify.ts';
import { Outbound } from '#actors/kit/outbound/outbound.ts';
import { decoded, solved } from '#test/kit/altcha.ts';
import { SECRET, startSiteVerify, type SiteVerifyServer } from '#test/kit/site-verify-server.ts';
import { EMAIL } from '#test/kit/users.ts';
import { accountWorld, GRACE, type AccountWorld } from '../account/kit.ts';

const EASY = { provider: 'altcha', difficulty: 1000 } as const;
const given = (world: AccountWorld, purpose = 'sign_up') => world.ask('captchaChallenge', { query: `for=${purpose}` });
const answered = async (world: AccountWorld, purpose = 'sign_up') => solved((await given(world, purpose)).body);
const signUp = (world: AccountWorld, altcha: unknown, email = GRACE) =>
  world.ask('signUp', { body: { email, altcha } });

/** How often a store's rows are read, from now on. */
function readsOf(world: AccountWorld): () => number {
  let reads = 0;
  const begin = world.store.begin.bind(world.store);
  world.store.begin = () => {
    const turn = begin();
    const get = turn.get.bind(turn);
    turn.get = (key) => {
      reads++;
      return get(key);
    };
    return turn;
  };
  return () => reads;
}

describe('a proof of work', () => {
  test('is asked for, found by the library of its makers, and lets one sign-up in', async () => {
    const world = accountWorld({ captcha: EASY });
    const challenge = await given(world);
    expect(challenge).toMatchObject({ status: 200, headers: { 'Cache-Control': 'no-store' } });
    expect(challenge.body).toMatchObject({ algorithm: 'SHA-256', maxnumber: 1000 });
    const answer = await solved(challenge.body);
    expect(await signUp(world, answer)).toMatchObject({ status: 202 });
    expect(await signUp(world, answer)).toMatchObject({ status: 400, code: 'captcha_invalid' });
    expect(world.outbox()).toHaveLength(1);
  });

  test('without one: 400 that says what is missing, and no row is read, let alone written', async () => {
    const world = accountWorld({ captcha: EASY });
    await world.addUser();
    const [rows, reads] = [world.rows(), readsOf(world)];
    for (const email of [EMAIL, GRACE])
      for (const body of [{ email }, { email, altcha: '' }, { email, altcha: null }, { email, captcha: 'x' }])
        expect(await world.ask('signUp', { body })).toMatchObject({
          status: 400,
          code: 'captcha_required',
          body: { details: { provider: 'altcha', member: 'altcha' } },
        });
    for (const answer of ['x', 'bnVsbA==', await solved((await given(world)).body, { number: 1 })])
      expect((await signUp(world, answer, EMAIL)).code).toBe('captcha_invalid');
    expect(reads()).toBe(0);
    expect(world.rows()).toBe(rows);
  });

  test('a challenge writes nothing, however many there are', async () => {
    const world = accountWorld({ captcha: EASY });
    const before = world.rows();
    const challenges = new Set<unknown>();
    for (let i = 0; i < 50; i++) challenges.add((await given(world)).body['salt']);
    expect(challenges.size).toBe(50);
    expect(world.rows()).toBe(before);
  });

  test('counts at its position, for its purpose and for ten minutes', async () => {
    const world = accountWorld({ captcha: EASY });
    const other = accountWorld({ captcha: EASY }, {}, { position: 'acme:atlas:dev:other' });
    expect((await signUp(world, await answered(other))).code).toBe('captcha_invalid');
    expect((await signUp(world, await answered(world, 'guest'))).code).toBe('captcha_invalid');
    const late = await answered(world);
    world.clock.advance(limits.captcha.challengeMs);
    expect((await signUp(world, late)).code).toBe('captcha_invalid');
    const { salt } = decoded(await answered(world)) as { salt: string };
    expect(salt).toMatch(/^[0-9a-f]{24}\?expires=\d+&for=sign_up&at=acme%3Aatlas%3Adev%3Amain&$/);
  });

  test('one of two sign-ups at once with the same answer wins', async () => {
    const world = accountWorld({ captcha: EASY });
    const answer = await answered(world);
    const statuses = await Promise.all([1, 2, 3].map(async () => (await signUp(world, answer)).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 400, 400]);
  });

  test('what the product refuses anyway spends no answer', async () => {
    const world = accountWorld({ captcha: EASY, domains: ['example.org'] });
    const answer = await answered(world);
    expect((await signUp(world, answer, 'eve@else.example')).code).toBe('email_domain');
    expect((await signUp(world, answer)).status).toBe(202);
  });

  test('no purpose, another purpose, a product without a captcha, and one that asks a provider', async () => {
    const world = accountWorld({ captcha: EASY });
    expect(await world.ask('captchaChallenge')).toMatchObject({ status: 400, code: 'bad_request' });
    expect(await given(world, 'x')).toMatchObject({ status: 400, code: 'bad_request' });
    expect(await given(accountWorld())).toMatchObject({ status: 404, code: 'no_captcha' });
    const asked = accountWorld({ captcha: { provider: 'turnstile', secret: SECRET } });
    expect(await given(asked)).toMatchObject({ status: 404, code: 'no_captcha' });
    expect(await world.ask('captchaChallenge', { tenantNo: 0 })).toMatchObject({ status: 400, code: 'no_tenant' });
    expect((await accountWorld().signUp()).status).toBe(202);
  });
});

describe.each(['turnstile', 'hcaptcha', 'recaptcha'] as const)('asked: %s', (provider) => {
  let server: SiteVerifyServer;
  beforeAll(async () => {
    server = await startSiteVerify();
  });
  afterAll(() => server.stop());

  const worldOf = (changes: Partial<CaptchaDefinition> = {}) => {
    const captcha = { provider, secret: SECRET, url: server.url, ...changes } as CaptchaDefinition;
    return accountWorld({ captcha }, {}, { outbound: { allowPrivate: [server.host] } });
  };
  const shown = (world: AccountWorld, captcha: unknown) => world.ask('signUp', { body: { email: GRACE, captcha } });

  test('a good answer lets a sign-up in, a bad one does not, and the address of the caller is not passed on', async () => {
    const world = worldOf();
    server.good.add('good');
    server.asked.length = 0;
    expect(await shown(world, 'good')).toMatchObject({ status: 202 });
    expect(await shown(world, 'good')).toMatchObject({ status: 400, code: 'captcha_invalid' });
    expect(await shown(world, undefined)).toMatchObject({
      code: 'captcha_required',
      body: { details: { member: 'captcha' } },
    });
    expect(server.asked).toEqual([1, 2].map(() => ({ secret: SECRET, response: 'good' })));
    expect(world.outbox()).toHaveLength(1);
    expect(world.logged).toEqual([]);
  });

  test('a provider that does not say keeps sign-ups out with 503, and one line tells the operator why', async () => {
    const cases: [Partial<CaptchaDefinition>, SiteVerifyServer['broken'], string][] = [
      [{ secret: 'wrong' }, null, 'invalid-input-secret'],
      [{}, { status: 500, text: 'oops' }, 'status 500'],
      [{}, { status: 200, text: '{"success":"true"}' }, 'status 200'],
      [{}, { status: 500, text: '{"success":true}' }, 'status 500'],
      [{ url: 'http://127.0.0.1:1/' }, null, '127.0.0.1'],
    ];
    for (const [i, [changes, broken, why]] of cases.entries()) {
      server.broken = broken;
      server.good.add('good');
      const captcha = { provider, secret: SECRET, url: server.url, ...changes } as CaptchaDefinition;
      const options = {
        position: `acme:atlas:${provider}:t${i}`,
        outbound: { allowPrivate: [server.host, '127.0.0.1:1'] },
      };
      const world = accountWorld({ captcha }, {}, options);
      for (let tries = 0; tries < 2; tries++)
        expect(await shown(world, 'good')).toMatchObject({
          status: 503,
          code: 'captcha_unavailable',
          headers: { 'Retry-After': '30' },
        });
      expect(world.logged).toEqual([expect.stringContaining('accounts.captcha of product.yaml')]);
      const verdict = await siteVerify(
        new Outbound({ allowPrivate: options.outbound.allowPrivate }),
        captcha as AskedCaptcha,
        'good',
      );
      expect(verdict).toMatchObject({ is: 'unknown', why: expect.stringContaining(why) as string });
      expect(world.outbox()).toEqual([]);
    }
    server.broken = null;
  });
});
