/** Sign-up by mail. Spec: docs/contract/identity-users.md §8.2, §8.3: no answer tells which addresses have an account. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import * as password from '#actors/kit/password.ts';
import { putRequest } from '#actors/identity/account/store.ts';
import { FullStore } from '#test/kit/identity-call.ts';
import { EMAIL, tokenIn, UserWorld } from '#test/kit/users.ts';
import { accountWorld, GRACE, NEW_PASSWORD, OPEN, type AccountWorld } from './kit.ts';

const ACCEPTED = { status: 202, body: { ok: true } };
const BAD_LINK = { status: 401, code: 'invalid_one_time_token' };

/** What each request writes and deletes: the length of every value, in order. */
function writesOf(world: AccountWorld): number[] {
  const writes: number[] = [];
  const begin = world.store.begin.bind(world.store);
  world.store.begin = () => {
    const turn = begin();
    const { put, del } = { put: turn.put.bind(turn), del: turn.del.bind(turn) };
    turn.put = (key, value) => {
      writes.push(value.length);
      put(key, value);
    };
    turn.del = (key) => {
      writes.push(-key.length);
      del(key);
    };
    return turn;
  };
  return writes;
}

async function signedUp(world: AccountWorld, email = GRACE): Promise<string> {
  await world.signUp(email);
  return world.mailedToken();
}

describe('a sign-up', () => {
  test('mails a link; who holds it chooses the password, is verified and is logged in', async () => {
    const world = accountWorld();
    expect(await world.signUp()).toMatchObject(ACCEPTED);
    expect(world.pending).toEqual([7]);
    const [mail] = await world.takeMail();
    expect(mail).toMatchObject({ to: GRACE, subject: 'Confirm your address' });
    expect(world.users()).toEqual([]);
    const confirmed = await world.confirm(tokenIn(mail!.text), { firstname: 'Grace', lastname: 'Hopper' });
    expect(confirmed).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
    expect(confirmed.headers['Cache-Control']).toBe('no-store');
    expect(world.userNamed(GRACE)).toMatchObject({
      firstname: 'Grace',
      lastname: 'Hopper',
      roles: ['tenant_user'],
      allow_impersonation: false,
      verified_at: new Date(world.clock.now()).toISOString(),
    });
    expect((await world.login({ login: GRACE, password: NEW_PASSWORD })).status).toBe(200);
  });

  test('known, unknown and waiting addresses get the same answer, and as much is written for each', async () => {
    const world = accountWorld();
    await world.addUser('adam@example.org');
    const writes = writesOf(world);
    const take = () => writes.splice(0);
    const answers = [await world.signUp('adam@example.org')];
    const known = take();
    answers.push(await world.signUp('evie@example.org'));
    const unknown = take();
    answers.push(await world.signUp('evie@example.org'));
    const waiting = take();
    answers.push(await world.signUp('adam@example.org'));
    const again = take();
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject(ACCEPTED);
    expect(unknown).toEqual(known);
    expect(waiting).toEqual(known);
    expect(again).toEqual(known);
    expect(known).toHaveLength(6);
  });

  test('a known address gets a mail that says so, with a link to a new password, at the address as its owner wrote it', async () => {
    const world = accountWorld();
    const id = await world.addUser();
    await world.signUp(EMAIL.toUpperCase());
    const [mail] = await world.takeMail();
    expect(mail).toMatchObject({ to: EMAIL, subject: 'You have an account already' });
    const token = tokenIn(mail!.text);
    expect(mail!.text).toContain(`reset?token=${token}`);
    expect(await world.confirm(token)).toMatchObject(BAD_LINK);
    expect((await world.ask('confirmReset', { body: { token, password: NEW_PASSWORD } })).status).toBe(200);
    expect(world.users().map((user) => user.id)).toEqual([id]);
    expect(world.user(id)?.verified_at).toBeDefined();
  });

  test('a password is never set by who signs up: a body with one, or with roles, makes the same mail', async () => {
    const world = accountWorld();
    const body = { email: GRACE, password: NEW_PASSWORD, roles: ['superadmin'], token: 'x' };
    expect(await world.ask('signUp', { body })).toMatchObject(ACCEPTED);
    expect((await world.login({ login: GRACE, password: NEW_PASSWORD })).code).toBe('invalid_credentials');
    await world.confirm(await world.mailedToken());
    expect(world.userNamed(GRACE)?.roles).toEqual(['tenant_user']);
  });

  test.each(['closed', 'invitation'] as const)('%s: refused for every address alike', async (sign_up) => {
    const world = accountWorld({ sign_up });
    await world.addUser();
    const answers = [await world.signUp(EMAIL), await world.signUp(GRACE)];
    expect(answers[0]).toMatchObject({ status: 403, code: 'sign_up_closed' });
    expect(answers[1]).toEqual(answers[0]);
    expect(world.outbox()).toEqual([]);
  });

  test('a product without the section, and every plane, has no accounts', async () => {
    const without = new UserWorld();
    expect(await without.ask('signUp', { body: { email: GRACE } })).toMatchObject({ status: 404, code: 'no_accounts' });
    for (const position of ['acme:atlas:dev:superadmin', 'superadmin:superadmin:superadmin:superadmin']) {
      const plane = accountWorld({}, {}, { position });
      expect(await plane.signUp()).toMatchObject({ status: 404, code: 'no_accounts' });
      expect(await plane.confirm('x')).toMatchObject({ status: 404, code: 'no_accounts' });
      expect(plane.outbox()).toEqual([]);
    }
  });

  test('domains: others are refused openly, whether the address has an account or not', async () => {
    const world = accountWorld({ domains: ['example.org'] });
    await world.addUser('ada@else.example');
    const answers = [await world.signUp('ada@else.example'), await world.signUp('eve@else.example')];
    expect(answers[0]).toMatchObject({ status: 403, code: 'email_domain' });
    expect(answers[1]).toEqual(answers[0]);
    expect((await world.signUp('eve@sub.example.org')).code).toBe('email_domain');
    expect((await world.signUp('eve@EXAMPLE.ORG')).status).toBe(202);
  });

  test('what is no address is refused, and costs no row', async () => {
    const world = accountWorld();
    const before = world.rows();
    for (const email of [
      '',
      'x',
      'a@b',
      'a b@example.org',
      `${'a'.repeat(250)}@example.org`,
      7,
      null,
      'a@example.org\n',
    ])
      expect(await world.signUp(email)).toMatchObject({ status: 400, code: 'bad_request' });
    expect(world.rows()).toBe(before);
  });

  test('without a template for its link nothing is promised: 503, the same for every address', async () => {
    for (const mail of [
      null,
      {
        links: { reset: 'https://x.example/{token}', magic_link: 'https://x.example/{token}' },
        pending: () => undefined,
      },
    ]) {
      const world = accountWorld({}, {}, { mail });
      await world.addUser();
      const answers = [await world.signUp(EMAIL), await world.signUp(GRACE)];
      expect(answers[0]).toMatchObject({ status: 503, code: 'no_mail' });
      expect(answers[1]).toEqual(answers[0]);
    }
  });
});

describe('bounds', () => {
  test('one address gets a burst of mails from all callers together; the answer stays the same', async () => {
    const world = accountWorld();
    for (let i = 0; i < 3 * limits.identity.mailsBurst; i++) expect(await world.signUp()).toMatchObject(ACCEPTED);
    expect(world.outbox()).toHaveLength(limits.identity.mailsBurst);
    expect(await world.takeMail()).toHaveLength(1); // each wish takes the place of the one before
    world.clock.advance(limits.identity.mailEveryMs);
    await world.signUp();
    expect(await world.takeMail()).toHaveLength(1);
  });

  test('a new wish of the same address takes the place of the old one: one row, and only its link counts', async () => {
    const world = accountWorld();
    const first = await signedUp(world);
    const rows = world.rows();
    const second = await signedUp(world);
    expect(world.rows()).toBe(rows);
    expect(await world.confirm(first)).toMatchObject(BAD_LINK);
    expect((await world.confirm(second)).status).toBe(200);
  });

  test('a full table refuses known, waiting and new addresses alike, and empties when its wishes have expired', async () => {
    const world = accountWorld();
    await world.addUser();
    await world.signUp('first@example.org');
    fill(world, limits.account.signUpsMax - 1);
    const answers = await Promise.all([EMAIL, GRACE, 'first@example.org'].map((email) => world.signUp(email)));
    expect(answers[0]).toMatchObject({ status: 503, code: 'sign_ups_full', headers: { 'Retry-After': '60' } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    world.clock.advance(limits.account.signUpMs);
    const before = world.rows();
    expect((await world.signUp()).status).toBe(202);
    // Two wishes with their addresses went, one came, with its mail.
    expect(world.rows()).toBe(before - 2 * limits.account.requestSweepMax + 3);
  });

  test("strangers' mails leave room in the outbox for those of users", async () => {
    const world = accountWorld();
    const id = await world.addUser();
    for (let i = 0; i < limits.account.signUpMailsMax + 5; i++)
      expect(await world.signUp(`p${i}@example.org`)).toMatchObject(ACCEPTED);
    expect(world.outbox()).toHaveLength(limits.account.signUpMailsMax);
    expect(world.logged.filter((line) => line.startsWith('the mail outbox is full'))).toHaveLength(5);
    await world.ask('requestReset', { body: { login: EMAIL } });
    expect(world.outbox().at(-1)).toMatchObject({ kind: 'reset', user: id });
  });

  test('a full disk refuses the sign-up and keeps nothing', async () => {
    const store = new FullStore();
    const world = accountWorld({}, {}, { store });
    store.full = 'disk';
    expect(await world.signUp()).toMatchObject({ status: 500, code: 'persist_failed' });
    store.full = null;
    expect(world.rows()).toBe(0);
  });
});

describe('a confirmation', () => {
  test('only a valid link costs a hash', async () => {
    const world = accountWorld();
    const hashing = vi.spyOn(password, 'hashPassword');
    onTestFinished(() => hashing.mockRestore());
    const token = await signedUp(world);
    for (const wrong of ['x', `${token}x`, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`])
      expect(await world.confirm(wrong)).toMatchObject(BAD_LINK);
    world.clock.advance(limits.account.signUpMs);
    expect(await world.confirm(token)).toMatchObject(BAD_LINK);
    expect(hashing).not.toHaveBeenCalled();
    expect((await world.confirm(await signedUp(world))).status).toBe(200);
    expect(hashing).toHaveBeenCalledOnce();
  });

  test('counts once, also for twenty at the same time', async () => {
    const world = accountWorld();
    const token = await signedUp(world);
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.confirm(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, code } of answers) if (status !== 200) expect(code).toBe('invalid_one_time_token');
    expect(world.users()).toHaveLength(1);
  });

  test('an address that got an account meanwhile is told to the holder of its link', async () => {
    const world = accountWorld();
    const token = await signedUp(world);
    await world.addUser(GRACE);
    expect(await world.confirm(token)).toMatchObject({ status: 409, code: 'login_taken' });
    expect(world.users()).toHaveLength(1);
  });

  test('what the product allows now decides: closed, or another domain', async () => {
    const world = accountWorld();
    const token = await signedUp(world);
    const say = (accounts: object) => Object.assign(world.activation.product.settings, { accounts });
    say({ ...OPEN, sign_up: 'closed' });
    expect((await world.confirm(token)).code).toBe('sign_up_closed');
    say({ ...OPEN, domains: ['else.example'] });
    expect((await world.confirm(token)).code).toBe('email_domain');
    say(OPEN);
    expect((await world.confirm(token)).status).toBe(200);
  });

  test('a bad password is refused and leaves the link open; the product may ask for a longer one', async () => {
    const world = accountWorld({ password: { min_length: 12 } });
    const token = await signedUp(world);
    for (const [bad, message] of [
      ['short', 'password: '],
      ['password123', 'password: is one of the most common passwords'],
      ['elevenchars', 'password: the product asks for at least 12 characters'],
    ] as const) {
      const refused = await world.confirm(token, { password: bad });
      expect(refused).toMatchObject({ status: 400, code: 'bad_request' });
      expect(refused.text).toContain(message);
      expect(refused.text).not.toContain(bad);
    }
    expect((await world.confirm(token)).status).toBe(200);
  });

  test('opens a session where the product has them', async () => {
    const world = accountWorld({}, { sessions: { mode: 'managed' } });
    expect((await world.confirm(await signedUp(world))).body).toHaveProperty('session_id');
  });
});

test('events name who, which account and how it ended, and hold no token and no password; addresses are personal', async () => {
  const world = accountWorld();
  const token = await signedUp(world);
  await world.confirm(token);
  const { id } = world.userNamed(GRACE)!;
  const seen = world.events.filter(({ action }) => action.startsWith('auth.sign_up'));
  expect(seen.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
    'auth.sign_up_request.before ',
    'auth.sign_up_request.after ok',
    'auth.sign_up_confirm.before ',
    'auth.sign_up_confirm.after ok',
  ]);
  expect(seen[1]).toMatchObject({ actor: '', target: '', personal: { email: GRACE } });
  expect(seen[3]).toMatchObject({
    actor: id,
    target: id,
    personal: { email: GRACE },
    data: { roles: ['tenant_user'] },
  });
  const text = JSON.stringify(world.events.map(({ personal: _personal, ...event }) => event));
  for (const secret of [token, NEW_PASSWORD, GRACE]) expect(text).not.toContain(secret);
});

/** Stages wishes of so many other addresses. */
function fill(world: AccountWorld, count: number): void {
  const { clock, ids } = world.context;
  const [created_at, expires_at] = [0, limits.account.signUpMs].map((ms) => new Date(clock.now() + ms).toISOString());
  for (let made = 0; made < count;) {
    const turn = world.store.begin();
    for (const end = Math.min(count, made + 500); made < end; made++) {
      const email = `q${made}@example.org`;
      putRequest(turn, {
        id: ids.next(),
        kind: 'sign_up',
        email,
        roles: [],
        by: null,
        created_at: created_at!,
        expires_at: expires_at!,
      });
    }
    turn.commit();
  }
}
