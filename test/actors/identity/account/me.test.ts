/** A user's own account: names, consent, password, address, deletion. Spec: docs/contract/identity-users.md §8.6 to §8.9. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { CALLER_BUCKET } from '#actors/protocol/frame.ts';
import { putTotp } from '#actors/identity/mfa/store.ts';
import { putUser } from '#actors/identity/store.ts';
import { EMAIL, PASSWORD, tokenIn, UserWorld } from '#test/kit/users.ts';
import { accountWorld, GRACE, NEW_PASSWORD, type AccountWorld } from './kit.ts';

const MANAGED = { sessions: { mode: 'managed' } } as const;
const WRONG = { status: 401, code: 'invalid_credentials' };
const BAD_LINK = { status: 401, code: 'invalid_one_time_token' };
const OK = { status: 200, body: { ok: true } };

async function ada(settings = {}, accounts = {}) {
  const world = accountWorld(accounts, settings);
  const id = await world.addUser();
  return { world, id, authorization: await world.loggedIn(EMAIL) };
}

const from = (bucket: string) => `${CALLER_BUCKET}:${bucket}\n`;
const me = (world: AccountWorld, authorization: string) => world.ask('showMe', { authorization });
const patch = (world: AccountWorld, authorization: string, body: object) =>
  world.ask('changeMe', { authorization, body });
const newPassword = (world: AccountWorld, authorization: string, body: object = {}, extra = '') =>
  world.ask('changePassword', { authorization, body: { current: PASSWORD, password: NEW_PASSWORD, ...body }, extra });
const newEmail = (world: AccountWorld, authorization: string, email: string, password = PASSWORD) =>
  world.ask('changeEmail', { authorization, body: { email, password } });
const remove = (world: AccountWorld, authorization: string, password = PASSWORD) =>
  world.ask('deleteMe', { authorization, body: { password } });

const EVERY = [
  ['showMe', {}],
  ['changeMe', { body: { firstname: 'X' } }],
  ['deleteMe', { body: { password: PASSWORD } }],
  ['changePassword', { body: { current: PASSWORD, password: NEW_PASSWORD } }],
  ['changeEmail', { body: { email: GRACE, password: PASSWORD } }],
  ['listOwnSessions', {}],
  ['endOwnSession', { id: 'x' }],
] as const;

describe.each(EVERY)('%s', (name, ask) => {
  test('is no longer for a user who is disabled, though the token lives on', async () => {
    const { world, id, authorization } = await ada();
    const turn = world.store.begin();
    putUser(turn, { ...world.user(id)!, disabled_at: '2026-01-01T00:00:00.000Z' });
    turn.commit();
    expect(await world.ask(name, { ...ask, authorization })).toMatchObject({ status: 401, code: 'invalid_token' });
  });

  test('is the user’s alone: no key, no service, no impersonation changes an account', async () => {
    const { world, id } = await ada();
    const before = world.user(id);
    for (const mode of ['full', 'readonly'] as const) {
      const answer = await world.ask(name, { ...ask, authorization: world.impersonating(id, mode) });
      expect(answer).toMatchObject(name === 'showMe' ? { status: 200 } : { status: 403, code: 'account_denied' });
    }
    const service = world.bearer([], { type: 'service', sub: 'apikey:K', scope: ['acme:dev:atlas:main'] });
    expect(await world.ask(name, { ...ask, authorization: service })).toMatchObject({
      status: 403,
      code: 'account_denied',
    });
    for (const capabilities of [{}, { roles: ['tenant_admin'], is_superadmin: true }])
      expect(await world.ask(name, { ...ask, authorization: world.key(capabilities) })).toMatchObject({
        status: 401,
        code: 'auth_required',
      });
    for (const authorization of ['', 'Bearer x', world.as(id, [], { tenant: 'evil:atlas:dev:main' })])
      expect((await world.ask(name, { ...ask, authorization })).status).toBe(401);
    expect({ ...world.user(id), allow_impersonation: false }).toEqual(before);
  });

  test('needs the section of the product', async () => {
    const world = new UserWorld();
    const id = await world.addUser();
    const authorization = world.bearer([], { sub: id });
    expect(await world.ask(name, { ...ask, authorization })).toMatchObject({ status: 404, code: 'no_accounts' });
  });

  test('refuses the token of a user who is gone', async () => {
    const { world } = await ada();
    const authorization = world.as('01ARZ3NDEKTSV4RRFFQ69G5FAV');
    expect(await world.ask(name, { ...ask, authorization })).toMatchObject({ status: 401, code: 'invalid_token' });
  });
});

describe('the account', () => {
  test('shows who one is, and nothing that a login could use', async () => {
    const { world, id, authorization } = await ada();
    const shown = await me(world, authorization);
    expect(shown.body).toEqual({
      id,
      email: EMAIL,
      guest: false,
      verified: false,
      firstname: null,
      lastname: null,
      locale: null,
      roles: ['tenant_user'],
      allow_impersonation: false,
      second_factor: false,
      has_password: true,
      created_at: expect.any(String) as string,
    });
    const turn = world.store.begin();
    putTotp(turn, id, { secret: Buffer.alloc(20), enabled: true, last_step: 0, created_at: '', enabled_at: '' });
    turn.commit();
    expect((await me(world, authorization)).body).toMatchObject({ second_factor: true });
    expect(shown.headers['Cache-Control']).toBe('no-store');
  });

  test('names are changed, emptied, or left', async () => {
    const { world, id, authorization } = await ada();
    expect((await patch(world, authorization, { firstname: 'Ada', lastname: 'L' })).body).toMatchObject({
      firstname: 'Ada',
      lastname: 'L',
    });
    await patch(world, authorization, { lastname: null });
    expect(world.user(id)).toMatchObject({ firstname: 'Ada', lastname: null, email: EMAIL });
    const bad = [{ roles: ['tenant_admin'] }, { email: GRACE }, { allow_impersonation: 'yes' }, { firstname: 7 }];
    for (const body of bad)
      expect(await patch(world, authorization, body)).toMatchObject({ status: 400, code: 'bad_request' });
    expect(world.user(id)?.roles).toEqual(['tenant_user']);
  });

  test('a withdrawn consent ends the impersonations at once', async () => {
    const { world, id, authorization } = await ada();
    await patch(world, authorization, { allow_impersonation: true });
    const operator = world.impersonating(id);
    expect((await me(world, operator)).status).toBe(200);
    await patch(world, authorization, { firstname: 'Ada' });
    expect((await me(world, operator)).status).toBe(200);
    await patch(world, authorization, { allow_impersonation: false });
    expect(await me(world, operator)).toMatchObject({ status: 401, code: 'invalid_token' });
  });
});

describe('the password', () => {
  test('is changed by who knows it: other sessions and their refresh tokens end, this one goes on, the owner gets a notice', async () => {
    const { world, authorization } = await ada(MANAGED);
    const other = (await world.login()).body as { access_token: string; refresh_token: string };
    const own = (await world.login()).body as { access_token: string; refresh_token: string };
    await world.ask('requestReset', { body: { login: EMAIL } });
    const open = await world.mailedToken();
    expect(await newPassword(world, `Bearer ${own.access_token}`)).toMatchObject(OK);
    expect((await me(world, authorization)).code).toBe('invalid_token');
    expect((await me(world, `Bearer ${other.access_token}`)).code).toBe('invalid_token');
    expect((await world.refresh(other.refresh_token)).code).toBe('invalid_refresh_token');
    expect((await me(world, `Bearer ${own.access_token}`)).status).toBe(200);
    expect((await world.refresh(own.refresh_token)).status).toBe(200);
    expect((await world.login()).code).toBe('invalid_credentials');
    expect((await world.login({ password: NEW_PASSWORD })).status).toBe(200);
    expect(await world.ask('confirmReset', { body: { token: open, password: PASSWORD } })).toMatchObject(BAD_LINK);
    const notice = (await world.takeMail()).at(-1)!;
    expect(notice).toMatchObject({ to: EMAIL, subject: 'Your password was changed' });
    expect(notice.text).not.toContain('http');
  });

  test('in a stateless tenant the refresh token of the body says which login goes on; without one every login ends', async () => {
    const { world, authorization } = await ada();
    const [kept, other] = [(await world.login()).body, (await world.login()).body];
    await newPassword(world, authorization, { refresh_token: kept['refresh_token'] });
    expect((await world.refresh(other['refresh_token'])).code).toBe('invalid_refresh_token');
    const next = await world.refresh(kept['refresh_token']);
    expect(next.status).toBe(200);
    await newPassword(world, authorization, { current: NEW_PASSWORD, password: 'a third one' });
    expect((await world.refresh(next.body['refresh_token'])).code).toBe('invalid_refresh_token');
  });

  test("another user's refresh token keeps nothing alive", async () => {
    const { world, authorization } = await ada();
    await world.addUser(GRACE);
    const hers = (await world.login({ login: GRACE })).body['refresh_token'];
    const mine = (await world.login()).body['refresh_token'];
    await newPassword(world, authorization, { refresh_token: hers });
    expect((await world.refresh(mine)).code).toBe('invalid_refresh_token');
    expect((await world.refresh(hers)).status).toBe(200);
  });

  test('a bad new password spends no try; a common, short or wrong one changes nothing', async () => {
    const { world, id, authorization } = await ada({}, { password: { min_length: 12 } });
    const before = world.user(id);
    for (const password of ['short', 'password123', 'elevenchars'])
      for (let i = 0; i < limits.identity.wrongPasswordsBurst; i++)
        expect(await newPassword(world, authorization, { password })).toMatchObject({
          status: 400,
          code: 'bad_request',
        });
    expect(await newPassword(world, authorization, { current: 'wrong' })).toMatchObject(WRONG);
    expect(world.user(id)).toEqual(before);
  });

  test('of two changes at once one counts', async () => {
    const { world, authorization } = await ada();
    const answers = await Promise.all(
      ['one of two', 'two of two'].map((password) => newPassword(world, authorization, { password })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });

  test('guesses with a stolen token are bounded from all addresses together; the owner is not locked out', async () => {
    const { world, authorization } = await ada();
    await world.login({}, from('home'));
    for (let i = 0; i < limits.identity.wrongPasswordsBurst; i++)
      expect(await newPassword(world, authorization, { current: 'wrong' }, from(`thief${i}`))).toMatchObject(WRONG);
    const stranger = from('thief');
    await newPassword(world, authorization, { current: 'wrong' }, stranger);
    expect(await newPassword(world, authorization, { current: 'wrong' }, stranger)).toMatchObject({ status: 429 });
    expect((await world.login({}, from('home'))).status).toBe(200);
    expect(await newPassword(world, authorization, {}, from('home'))).toMatchObject(OK);
  });

  test('right passwords count for nothing', async () => {
    const { world, authorization } = await ada();
    for (let i = 0; i < limits.identity.wrongPasswordsBurst + 5; i++)
      expect((await newPassword(world, authorization, { password: PASSWORD }, from('away'))).status).toBe(200);
  });

  test('a user without one is refused, and sets one by a reset', async () => {
    const { world, id, authorization } = await ada();
    const turn = world.store.begin();
    putUser(turn, { ...world.user(id)!, password_hash: '' });
    turn.commit();
    expect((await me(world, authorization)).body).toMatchObject({ has_password: false });
    for (const current of ['x', PASSWORD])
      expect(await newPassword(world, authorization, { current })).toMatchObject(WRONG);
  });
});

describe('the address', () => {
  async function wished(email = GRACE) {
    const found = await ada();
    await newEmail(found.world, found.authorization, email);
    return { ...found, token: await found.world.mailedToken() };
  }
  const confirm = (world: AccountWorld, token: string) => world.ask('confirmEmail', { body: { token } });

  test('changes when its holder confirms; the old one gets a notice, and is free', async () => {
    const { world, id, authorization } = await ada();
    await world.ask('requestReset', { body: { login: EMAIL } });
    const open = await world.mailedToken();
    expect(await newEmail(world, authorization, GRACE)).toMatchObject({ status: 202, body: { ok: true } });
    expect(world.user(id)).toMatchObject({ email: EMAIL });
    const mail = (await world.takeMail()).at(-1)!;
    expect(mail).toMatchObject({ to: GRACE, subject: 'Confirm your new address' });
    expect(await confirm(world, tokenIn(mail.text))).toMatchObject(OK);
    expect(world.user(id)).toMatchObject({ email: GRACE });
    expect(world.user(id)?.verified_at).toBeDefined();
    expect((await world.login()).code).toBe('invalid_credentials');
    expect((await world.login({ login: GRACE })).status).toBe(200);
    expect((await world.takeMail()).at(-1)).toMatchObject({ to: EMAIL, subject: 'Your address was changed' });
    expect(await world.ask('confirmReset', { body: { token: open, password: NEW_PASSWORD } })).toMatchObject(BAD_LINK);
    expect(await confirm(world, tokenIn(mail.text))).toMatchObject(BAD_LINK);
    expect(await world.addUser(EMAIL)).not.toBe(id);
  });

  test('a taken one gets the same answer and as many writes, and no mail', async () => {
    const { world, authorization } = await ada();
    await world.addUser(GRACE);
    const writes: number[] = [];
    const begin = world.store.begin.bind(world.store);
    world.store.begin = () => {
      const turn = begin();
      const put = turn.put.bind(turn);
      turn.put = (key, value) => {
        writes.push(value.length);
        put(key, value);
      };
      return turn;
    };
    const taken = await newEmail(world, authorization, GRACE);
    const first = writes.splice(0);
    const free = await newEmail(world, authorization, 'brace@example.org'.slice(1).padStart(GRACE.length, 'x'));
    expect(free).toEqual(taken);
    expect(first).toEqual(writes);
    const mails = await world.takeMail();
    expect(mails.map(({ to }) => to)).not.toContain(GRACE);
    expect(mails).toHaveLength(1);
  });

  test('one that was taken meanwhile is told to the holder of the link alone', async () => {
    const { world, token } = await wished();
    await world.addUser(GRACE);
    expect(await confirm(world, token)).toMatchObject({ status: 409, code: 'login_taken' });
  });

  test('a later wish ends the link of an earlier one, so that no old link gives another address', async () => {
    const { world, id, authorization, token } = await wished();
    await newEmail(world, authorization, 'third@example.org');
    expect(await confirm(world, token)).toMatchObject(BAD_LINK);
    expect(await confirm(world, await world.mailedToken())).toMatchObject(OK);
    expect(world.user(id)).toMatchObject({ email: 'third@example.org' });
  });

  test('the same one in another case stays reachable', async () => {
    const { world, id, token } = await wished(EMAIL.toUpperCase());
    expect(await confirm(world, token)).toMatchObject(OK);
    expect(world.user(id)).toMatchObject({ email: EMAIL.toUpperCase() });
    expect((await world.login()).status).toBe(200);
  });

  test('needs the password, an address of the domains, and an hour', async () => {
    const { world, authorization } = await ada({}, { domains: ['example.org'] });
    expect(await newEmail(world, authorization, GRACE, 'wrong')).toMatchObject(WRONG);
    expect(await newEmail(world, authorization, 'a@else.example')).toMatchObject({ status: 403, code: 'email_domain' });
    expect(world.outbox()).toEqual([]);
    await newEmail(world, authorization, GRACE);
    const token = await world.mailedToken();
    world.clock.advance(limits.account.emailChangeMs);
    expect(await confirm(world, token)).toMatchObject(BAD_LINK);
    for (const wrong of ['x', '', token.slice(1)]) expect([400, 401]).toContain((await confirm(world, wrong)).status);
  });

  test('one address gets a burst of mails; the answer stays the same', async () => {
    const { world, authorization } = await ada();
    for (let i = 0; i < limits.identity.mailsBurst + 3; i++)
      expect((await newEmail(world, authorization, GRACE)).status).toBe(202);
    expect(world.outbox()).toHaveLength(limits.identity.mailsBurst);
  });
});

describe('a deletion', () => {
  test.each([{}, MANAGED])('leaves nothing but an order (%j)', async (settings) => {
    const world = accountWorld({}, settings);
    const before = world.rows();
    const id = await world.addUser();
    const authorization = await world.loggedIn(EMAIL);
    const { refresh_token } = (await world.login()).body;
    const operator = world.impersonating(id);
    await world.ask('setupTotp', { authorization });
    await world.ask('requestReset', { body: { login: EMAIL } });
    await world.ask('requestMagicLink', { body: { login: EMAIL } });
    await newEmail(world, authorization, GRACE);
    await world.takeMail();
    expect(world.rows()).toBeGreaterThan(before + 10);
    expect(await remove(world, authorization, 'wrong')).toMatchObject(WRONG);
    expect(await remove(world, authorization)).toMatchObject(OK);
    expect(await world.takeMail()).toEqual([]); // mails that wait end
    expect(world.rows()).toBe(before + 1);
    for (const token of [authorization, operator])
      expect(await me(world, token)).toMatchObject({ status: 401, code: 'invalid_token' });
    expect((await world.refresh(refresh_token)).code).toBe('invalid_refresh_token');
    expect((await world.login()).code).toBe('invalid_credentials');
    expect(await world.addUser()).not.toBe(id);
  });

  test('of the last administrator is refused until there is another one', async () => {
    const world = accountWorld();
    const { authorization } = await world.administrator();
    expect(await remove(world, authorization)).toMatchObject({ status: 409, code: 'last_administrator' });
    await world.addUser('other@example.org', ['tenant_admin']);
    expect(await remove(world, authorization)).toMatchObject(OK);
    const other = world.as(world.userNamed('other@example.org')!.id, ['tenant_admin']);
    expect(await remove(world, other)).toMatchObject({ status: 409, code: 'last_administrator' });
  });

  test('of a user with more logins than one commit takes', async () => {
    const world = accountWorld({}, { sessions: { mode: 'managed', max: 300 } });
    await world.addUser();
    const authorization = await world.loggedIn(EMAIL);
    const user = world.userNamed(EMAIL)!;
    const before = world.rows();
    for (let i = 0; i < 2 * limits.account.eraseSessionsMax + 5; i++) await world.quickLogin(user);
    expect(world.rows()).toBeGreaterThan(before + 400);
    expect(await remove(world, authorization)).toMatchObject(OK);
    expect(world.rows()).toBe(1); // the order
  });
});

test('events name user, flow and outcome, and hold no password and no token; addresses are personal', async () => {
  const { world, id, authorization } = await ada();
  world.events.splice(0);
  await patch(world, authorization, { firstname: 'Ada' });
  await newPassword(world, authorization, { current: 'not the one' });
  await newEmail(world, authorization, GRACE);
  const token = await world.mailedToken();
  await world.ask('confirmEmail', { body: { token } });
  await newPassword(world, authorization);
  await world.ask('listOwnSessions', { authorization });
  await world.ask('endOwnSession', { authorization, id: 'x' });
  await remove(world, authorization, NEW_PASSWORD);
  const ended = world.events.filter(({ action }) => action.endsWith('.after'));
  expect(ended.map(({ action, outcome }) => `${action.slice(5, -6)} ${outcome}`)).toEqual([
    'account_change ok',
    'account_password invalid_credentials',
    'account_email ok',
    'account_email_confirm ok',
    'account_password ok',
    'account_session_list ok',
    'account_session_end session_not_found',
    'account_delete ok',
  ]);
  for (const event of ended) expect(event).toMatchObject({ actor: id, target: id });
  const text = JSON.stringify(world.events.map(({ personal: _personal, ...event }) => event));
  for (const secret of [PASSWORD, NEW_PASSWORD, 'not the one', token, GRACE, EMAIL]) expect(text).not.toContain(secret);
});
