/** Each preset against a provider that speaks its dialect; and every way to take over an account by an address that is not the attacker's. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { withPreset, type WrittenProvider } from '#config/definitions/oauth-presets.ts';
import type { PresetName } from '#config/definitions/product.ts';
import { createUser } from '#actors/identity/create-user.ts';
import { findLogin } from '#actors/identity/store.ts';
import { personAt } from '#actors/identity/oauth/person.ts';
import { findLink } from '#actors/identity/oauth/store.ts';
import { verifyToken } from '#actors/kit/token/verify.ts';
import { World, type Answer } from '#test/kit/identity-call.ts';
import { CLIENT, DialectProvider, type Dialect } from '#test/kit/dialect-provider.ts';
import { callback, start } from './kit.ts';

const started: DialectProvider[] = [];
afterAll(() => Promise.all(started.map((one) => one.stop())));

const POST = ['client_secret_post'];
const team = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signer = {
  team_id: 'TEAM',
  key_id: 'KEY',
  private_key: team.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
const TID = '11111111-2222-3333-4444-555555555555';
const OTHER_TID = '99999999-2222-3333-4444-555555555555';
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad';

const DIALECTS: Readonly<Record<PresetName, Dialect>> = {
  google: {},
  gitlab: {},
  microsoft: { issuerPath: '/{tenantid}/v2.0', methods: POST },
  apple: { methods: POST, secretKey: team.publicKey },
  github: { plain: true, errorsAs200: true, methods: POST },
  discord: { plain: true, methods: POST },
};

/** A world whose product has the preset, at a provider of that dialect. */
async function place(preset: PresetName, more: Partial<WrittenProvider> = {}) {
  const at = await DialectProvider.start(DIALECTS[preset]);
  started.push(at);
  const emails = preset === 'github' ? { emails: `${at.origin}/user/emails` } : {};
  const isPlain = DIALECTS[preset].plain === true;
  const row = withPreset({
    preset,
    ...CLIENT,
    ...(preset === 'apple' ? { client_secret: undefined, ...signer } : {}),
    ...(isPlain ? { endpoints: { ...at.endpoints, ...emails } } : { issuer: at.origin }),
    redirect_uri: 'https://app.example.org/signed-in',
    roles: ['tenant_user'],
    link: 'email_verified',
    ...more,
  });
  const world = new World({ outbound: { allowPrivate: [at.host] }, settings: { oauth: { providers: { corp: row } } } });
  world.clock.advance(Date.now() - world.clock.now());
  return { at, world };
}

async function signIn(world: World, at: DialectProvider, account: string): Promise<Answer> {
  return callback(world, at.signIn((await start(world)).href, account));
}

/** A user of the tenant with this address, whom an attacker would like to be. */
function victim(world: World, email: string): string {
  const turn = world.store.begin();
  const id = createUser(turn, world.context, { email, passwordHash: 'x', roles: ['editor'] })!;
  turn.commit();
  return id;
}

const said = ({ status, code }: Answer) => [status, code];
const subjectOf = (world: World, { body }: Answer) =>
  verifyToken(body['access_token'] as string, world.ring, world.clock.now())!.claims['sub'];

/** What a provider says of an account with this address: verified, or not. */
function account(preset: PresetName, email: string, verified: boolean): Record<string, unknown> {
  switch (preset) {
    case 'github':
      return {
        '/user': { id: 7, login: 'ada' },
        '/user/emails': [
          { email: 'x@example.org', primary: false, verified: true },
          { email, primary: true, verified },
        ],
      };
    case 'discord':
      return { '/user': { id: '80351110224678912', username: 'ada', email, verified } };
    case 'microsoft':
      return { tid: TID, email, email_verified: true, xms_edov: verified };
    case 'apple':
      return { email, email_verified: String(verified) };
    default:
      return { email, email_verified: verified, given_name: 'Ada' };
  }
}

const EVERY = ['google', 'microsoft', 'apple', 'github', 'gitlab', 'discord'] as const;

describe.each(EVERY)('%s', (preset) => {
  test('signs a user in, and finds the same one again', async () => {
    const { at, world } = await place(preset);
    at.accounts.set('ada', account(preset, 'ada@example.org', true));
    const first = await signIn(world, at, 'ada');
    expect(first.status, first.text).toBe(200);
    expect(findLogin(world.store.begin(), 'ada@example.org')).toBe(subjectOf(world, first));
    at.accounts.set('ada', account(preset, 'countess@example.org', false));
    expect(subjectOf(world, await signIn(world, at, 'ada'))).toBe(subjectOf(world, first));
  });

  test('an address that it has not verified makes no user and is no user’s', async () => {
    const { at, world } = await place(preset);
    victim(world, 'eva@example.org');
    for (const email of ['eva@example.org', 'new@example.org', 'eva@gmail.com']) {
      at.accounts.set('mallory', account(preset, email, false));
      expect(said(await signIn(world, at, 'mallory'))).toEqual([401, 'oauth_failed']);
    }
    expect(findLogin(world.store.begin(), 'new@example.org')).toBeUndefined();
  });

  test('a code of another sign-in is refused', async () => {
    const { at, world } = await place(preset);
    at.accounts.set('ada', account(preset, 'ada@example.org', true));
    const mine = at.signIn((await start(world)).href, 'ada');
    mine.set('code', at.signIn((await start(world)).href, 'ada').get('code')!);
    expect(said(await callback(world, mine))).toEqual([401, 'oauth_failed']);
  });

  test('a verified address identifies a user who is there only where the provider speaks for it', async () => {
    const { at, world } = await place(preset);
    const id = victim(world, 'eva@example.org');
    at.accounts.set('eva', account(preset, 'eva@example.org', true));
    const answer = await signIn(world, at, 'eva');
    if (preset === 'microsoft') return expect(subjectOf(world, answer)).toBe(id);
    return expect(said(answer)).toEqual([409, 'login_taken']);
  });

  test('a product that does not link takes no address for a proof', async () => {
    const { at, world } = await place(preset, { link: 'none' });
    victim(world, 'eva@gmail.com');
    at.accounts.set('eva', account(preset, 'eva@gmail.com', true));
    expect(said(await signIn(world, at, 'eva'))).toEqual([409, 'login_taken']);
  });
});

test('without a preset only `email_verified` counts, as true or its text, and the product answers for the provider', () => {
  const email = 'eva@example.org';
  for (const claims of [{ email_verified: 1 }, { email_verified: '1' }, { xms_edov: true }, { verified: true }])
    expect(personAt({}, { email, ...claims })).toBeNull();
  for (const email_verified of [true, 'true'])
    expect(personAt({}, { email, email_verified })).toMatchObject({ email, authoritative: true });
});

describe('google', () => {
  test.each([
    ['eva@gmail.com', {}, true],
    ['eva@googlemail.com', {}, true],
    ['eva@example.org', { hd: 'example.org' }, true],
    ['eva@example.org', { hd: '' }, false],
    ['eva@notgmail.com', {}, false],
    ['eva@gmail.com.example.org', {}, false],
  ])('of %s with %j speaks for it: %s', async (email, more, links) => {
    const { at, world } = await place('google');
    const id = victim(world, email);
    at.accounts.set('eva', { ...account('google', email, true), ...more });
    const answer = await signIn(world, at, 'eva');
    if (links) expect(subjectOf(world, answer)).toBe(id);
    else expect(said(answer)).toEqual([409, 'login_taken']);
  });
});

describe('microsoft', () => {
  test('an address that an administrator wrote is no proof (nOAuth), whatever else the token says', async () => {
    const { at, world } = await place('microsoft');
    victim(world, 'eva@example.org');
    for (const claims of [
      { email_verified: true },
      { verified_primary_email: ['eva@example.org'] },
      { xms_edov: false },
      { xms_edov: 0 },
      { preferred_username: 'eva@example.org' },
    ]) {
      at.accounts.set('mallory', { tid: OTHER_TID, email: 'eva@example.org', ...claims });
      expect(said(await signIn(world, at, 'mallory'))).toEqual([401, 'oauth_failed']);
    }
  });

  test.each([
    ['common', TID, true],
    ['common', CONSUMERS, true],
    ['organizations', TID, true],
    ['organizations', CONSUMERS, false],
    ['consumers', CONSUMERS, true],
    ['consumers', TID, false],
    [TID, TID, true],
    [TID, OTHER_TID, false],
    ['common', 'x/../../evil', false],
  ])('tenant %s admits the directory %s: %s', async (tenant, tid, admitted) => {
    const { at, world } = await place('microsoft', { tenant });
    at.accounts.set('ada', { ...account('microsoft', 'ada@example.org', true), tid });
    expect((await signIn(world, at, 'ada')).status).toBe(admitted ? 200 : 401);
  });

  test('a token whose issuer is another directory’s than its tid is refused', async () => {
    const { at, world } = await place('microsoft');
    at.accounts.set('ada', { ...account('microsoft', 'ada@example.org', true), iss: `${at.origin}/${OTHER_TID}/v2.0` });
    expect(said(await signIn(world, at, 'ada'))).toEqual([401, 'oauth_failed']);
  });

  test('one subject of two directories is two users', async () => {
    const { at, world } = await place('microsoft');
    at.accounts.set('ada', account('microsoft', 'ada@example.org', true));
    const first = subjectOf(world, await signIn(world, at, 'ada'));
    at.accounts.set('ada', { ...account('microsoft', 'other@example.org', true), tid: OTHER_TID });
    expect(subjectOf(world, await signIn(world, at, 'ada'))).not.toBe(first);
  });
});

describe('apple', () => {
  test('is sent a secret that the team’s key signs, and posts its answer as a form', async () => {
    const { world } = await place('apple');
    const url = await start(world);
    expect(url.searchParams.get('response_mode')).toBe('form_post');
    expect(url.searchParams.get('scope')).toBe('openid email name');
  });

  test('a secret of another key is the product’s fault', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString();
    const { at, world } = await place('apple', { private_key: other });
    at.accounts.set('ada', account('apple', 'ada@example.org', true));
    expect(said(await signIn(world, at, 'ada'))).toEqual([502, 'oauth_unavailable']);
  });

  test.each([
    ['eva@privaterelay.appleid.com', true],
    ['eva@icloud.com', true],
    ['eva@ME.com', true],
    ['eva@icloud.com.example.org', false],
    ['eva@noticloud.com', false],
  ])('of %s speaks for it: %s', async (email, links) => {
    const { at, world } = await place('apple');
    const id = victim(world, email);
    at.accounts.set('eva', account('apple', email, true));
    const answer = await signIn(world, at, 'eva');
    if (links) expect(subjectOf(world, answer)).toBe(id);
    else expect(said(answer)).toEqual([409, 'login_taken']);
  });
});

describe('github', () => {
  test('an API that fails is 502, and its users are told apart by number', async () => {
    const { at, world } = await place('github');
    at.accounts.set('ada', { '/user': { login: 'ada' } });
    expect(said(await signIn(world, at, 'ada'))).toEqual([502, 'oauth_unavailable']);
    at.accounts.set('ada', { '/user': { id: 7 } });
    expect((await signIn(world, at, 'ada')).status).toBeGreaterThanOrEqual(401);
    expect(at.seen).toContain('/user/emails');
  });

  test('a page may pass on `iss`, however the provider writes it', async () => {
    const { at, world } = await place('github');
    at.accounts.set('ada', account('github', 'ada@example.org', true));
    const query = at.signIn((await start(world)).href, 'ada');
    query.set('iss', 'https://github.com/login/oauth');
    expect((await callback(world, query)).status).toBe(200);
  });

  test('one number at two servers is two users', async () => {
    const { at, world } = await place('github');
    at.accounts.set('ada', account('github', 'ada@example.org', true));
    expect((await signIn(world, at, 'ada')).status).toBe(200);
    const link = (issuer: string) => findLink(world.store.begin(), { provider: 'corp', issuer, sub: '7' });
    expect(link(at.origin)).toBeDefined();
    expect(link('https://github.com')).toBeUndefined();
  });
});
