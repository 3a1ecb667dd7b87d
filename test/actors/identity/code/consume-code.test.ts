/** Logins with a mailed code: that they work once, what a guess costs the guesser, and that it tells nothing. Spec: docs/contract/identity-mails.md §5. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { INACTIVE_TENANT, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { FullStore } from '#test/kit/identity-call.ts';
import { EMAIL, PASSWORD, tokenIn, UserWorld } from '#test/kit/users.ts';
import { codeOf, enrol } from '../mfa/kit.ts';

const { codeMs, codeWrongMax, wrongPasswordsBurst, strangerTryMs } = limits.identity;
const BAD = { status: 401, code: 'invalid_mailed_code' };
const CALLER = ':bucket:192.0.2.1\n';

async function withUser(options: ConstructorParameters<typeof UserWorld>[0] = {}) {
  const world = new UserWorld(options);
  return { world, id: await world.addUser() };
}

const consume = (world: UserWorld, code: string, more: object = {}, extra = CALLER) =>
  world.ask('consumeCode', { body: { login: EMAIL, code, ...more }, extra });

/** Asks for a code and reads it from the newest mail. */
async function mailedCode(world: UserWorld, login = EMAIL): Promise<string> {
  await world.ask('requestCode', { body: { login } });
  const held = world.outbox().map(({ id }) => id);
  const [mail] = await world.takeMail(held.slice(0, -1));
  for (const id of held) world.settleMail(id);
  return /^\d{8}$/m.exec(mail!.text)![0];
}

/** Another code than this one. */
const other = (code: string): string => String((Number(code) + 1) % 1e8).padStart(8, '0');

describe('a mailed code', () => {
  test('is eight digits and logs in, once, whatever the case of the login and the spaces in the code', async () => {
    const { world } = await withUser();
    const code = await mailedCode(world);
    const typed = ` ${code.slice(0, 4)} - ${code.slice(4)} `;
    const answer = await consume(world, typed, { login: EMAIL.toUpperCase() });
    expect(answer).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer' },
      headers: { 'Cache-Control': 'no-store' },
    });
    expect((await world.refresh(answer.body['refresh_token'])).status).toBe(200);
    expect(await consume(world, code)).toMatchObject(BAD);
  });

  test('of two requests at once one wins', async () => {
    const { world } = await withUser();
    const code = await mailedCode(world);
    const answers = await Promise.all([consume(world, code), consume(world, code), consume(world, code)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  });

  test('lives ten minutes', async () => {
    const { world } = await withUser();
    const code = await mailedCode(world);
    world.clock.advance(codeMs);
    expect(await consume(world, code)).toMatchObject(BAD);
  });

  test('is of its user alone: neither another login, nor an unknown one, nor a link of the same user takes it', async () => {
    const { world } = await withUser();
    await world.addUser('bob@example.org');
    const code = await mailedCode(world);
    expect(await consume(world, code, { login: 'bob@example.org' })).toMatchObject(BAD);
    expect(await consume(world, code, { login: 'eve@example.org' })).toMatchObject(BAD);
    expect((await world.ask('consumeMagicLink', { body: { token: code } })).code).toBe('invalid_one_time_token');
    await world.ask('requestMagicLink', { body: { login: EMAIL } });
    const token = tokenIn((await world.takeMail()).at(-1)!.text);
    expect(await consume(world, token.slice(0, 60))).toMatchObject(BAD);
    expect((await consume(world, code)).status).toBe(200);
  });

  test('is not in the outbox, and at rest only as a digest that differs from user to user', async () => {
    const { world } = await withUser();
    await world.addUser('bob@example.org');
    world.random = (bytes) => Buffer.alloc(bytes, 7);
    const code = await mailedCode(world);
    expect(await mailedCode(world, 'bob@example.org')).toBe(code);
    const rows = [...world.store.begin().range('', '\xff')].map(({ value }) => Buffer.from(value).toString('latin1'));
    expect(rows.join()).not.toContain(code);
    const digests = rows.flatMap((row) => (row.includes('sha256') ? [row] : []));
    expect(new Set(digests).size).toBe(digests.length);
  });

  test('all digits are possible, leading zeros too', async () => {
    const { world } = await withUser();
    world.random = (bytes) => Buffer.alloc(bytes);
    expect(await mailedCode(world)).toBe('00000000');
    expect((await consume(world, '00000000')).status).toBe(200);
  });

  test('a new password ends it', async () => {
    const { world } = await withUser();
    const code = await mailedCode(world);
    await world.ask('requestReset', { body: { login: EMAIL } });
    const token = tokenIn((await world.takeMail()).at(-1)!.text);
    expect((await world.ask('confirmReset', { body: { token, password: 'battery staple' } })).status).toBe(200);
    expect(await consume(world, code)).toMatchObject(BAD);
  });

  test('opens a session where the tenant has them, and its events name the user', async () => {
    const { world, id } = await withUser({ settings: { sessions: { mode: 'managed' } } });
    const code = await mailedCode(world);
    await consume(world, other(code));
    const { body } = await consume(world, code);
    const told = world.events.filter(({ action }) => action === 'auth.code_consume.after');
    expect(told).toMatchObject([
      { outcome: 'invalid_mailed_code', target: id, actor: '' },
      { outcome: 'ok', target: id, actor: id, session: body['session_id'] },
    ]);
    expect(JSON.stringify(world.events)).not.toContain(code);
  });
});

describe('guessing', () => {
  test('the fifth wrong try kills the code, the fourth does not', async () => {
    const { world } = await withUser();
    const first = await mailedCode(world);
    for (let i = 1; i < codeWrongMax; i++) expect(await consume(world, other(first))).toMatchObject(BAD);
    expect((await consume(world, first)).status).toBe(200);
    const second = await mailedCode(world);
    for (let i = 0; i < codeWrongMax; i++) expect(await consume(world, other(second))).toMatchObject(BAD);
    expect(await consume(world, second)).toMatchObject(BAD);
  });

  test('a newer code gives an older one no further tries', async () => {
    const { world } = await withUser();
    const first = await mailedCode(world);
    for (let i = 1; i < codeWrongMax; i++) await consume(world, other(first));
    const second = await mailedCode(world);
    await consume(world, other(first));
    expect(await consume(world, first)).toMatchObject(BAD);
    expect((await consume(world, second)).status).toBe(200);
  });

  test('a wrong second factor counts as a wrong try, a missing one does not', async () => {
    const { world, id } = await withUser();
    const { secret } = await enrol(world, world.bearer([], { sub: id }));
    const code = await mailedCode(world);
    for (let i = 0; i < 2 * codeWrongMax; i++) expect((await consume(world, code)).code).toBe('mfa_required');
    for (let i = 1; i < codeWrongMax; i++)
      expect((await consume(world, code, { otp: '000000' })).code).toBe('invalid_credentials');
    expect((await consume(world, code, { otp: codeOf(world, secret, 1) })).status).toBe(200);
    const next = await mailedCode(world);
    for (let i = 0; i < codeWrongMax; i++) await consume(world, next, { otp: '000000' });
    expect(await consume(world, next, { otp: codeOf(world, secret, 2) })).toMatchObject(BAD);
  });

  test('the account’s guard counts codes and passwords together, and never locks a known caller out', async () => {
    const { world } = await withUser();
    expect((await world.login({}, CALLER)).status).toBe(200);
    const stranger = ':bucket:198.51.100.9\n';
    for (let i = 0; i < wrongPasswordsBurst; i++) expect((await consume(world, '1', {}, stranger)).status).toBe(401);
    const last = await consume(world, '1', {}, stranger);
    expect(last.status).toBe(401); // one more for each caller, now and then
    expect(await consume(world, '1', {}, stranger)).toMatchObject({ status: 429, body: { profile: 'auth_account' } });
    expect((await world.login({ password: 'x' }, stranger)).status).toBe(429);
    const code = await mailedCode(world);
    expect((await consume(world, code)).status).toBe(200);
    world.clock.advance(strangerTryMs);
    expect((await consume(world, '1', {}, stranger)).status).toBe(401);
  });

  test('an unknown login is guarded alike', async () => {
    const { world } = await withUser();
    const login = 'eve@example.org';
    for (let i = 0; i <= wrongPasswordsBurst; i++) expect(await consume(world, '1', { login })).toMatchObject(BAD);
    expect((await consume(world, '1', { login })).status).toBe(429);
  });

  test('reads and writes are the same for a known login with a code, one without, and an unknown one', async () => {
    const { world } = await withUser();
    await world.addUser('bob@example.org');
    await mailedCode(world);
    const begin = world.store.begin.bind(world.store);
    let work: string[] = [];
    world.store.begin = () => {
      const turn = begin();
      const put = turn.put.bind(turn);
      const commit = turn.commit.bind(turn);
      turn.put = (key, value) => (work.push(`put ${value.length}`), put(key, value));
      turn.commit = () => (work.push('commit'), commit());
      return turn;
    };
    const seen: string[] = [];
    for (const login of [EMAIL, 'bob@example.org', 'eve@example.org']) {
      work = [];
      const answer = await consume(world, '1', { login });
      seen.push(JSON.stringify([answer.status, answer.text, answer.headers, work]));
    }
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toMatch(/put \d+.*commit/);
  });

  test('tries at unknown logins leave one row, however many', async () => {
    const { world } = await withUser();
    const rows = () => [...world.store.begin().range('', '\xff')].length;
    await consume(world, '1', { login: 'eve@example.org' });
    const before = rows();
    for (let i = 0; i < 5; i++) await consume(world, '1', { login: `eve${i}@example.org` });
    expect(rows()).toBe(before);
  });
});

describe('refused', () => {
  test.each([
    {},
    { login: EMAIL },
    { login: EMAIL, code: 12345678 },
    { login: EMAIL, code: 'x'.repeat(65) },
    '[]',
    '{',
  ])('%j is bad_request, and counts nothing', async (body) => {
    const { world } = await withUser();
    expect(await world.ask('consumeCode', { body })).toMatchObject({ status: 400, code: 'bad_request' });
  });

  test.each([
    [NO_POSITION, 400, 'no_tenant'],
    [UNKNOWN_POSITION, 400, 'invalid tenant'],
    [INACTIVE_TENANT, 403, 'tenant_inactive'],
  ])('at place %i: %i %s', async (tenantNo, status, code) => {
    const { world } = await withUser();
    for (const [name, body] of [
      ['requestCode', { login: EMAIL }],
      ['consumeCode', { login: EMAIL, code: '1' }],
    ] as const)
      expect(await world.ask(name, { body, tenantNo })).toMatchObject(
        code === 'invalid tenant' ? { status, text: expect.stringContaining(code) } : { status, code },
      );
  });

  test('a full disk neither logs in nor spends the code', async () => {
    const store = new FullStore();
    const { world } = await withUser({ store });
    const code = await mailedCode(world);
    store.full = 'disk';
    expect((await consume(world, code)).status).toBe(500);
    store.full = null;
    expect((await consume(world, code)).status).toBe(200);
    expect((await world.login({ password: PASSWORD })).status).toBe(200);
  });
});
