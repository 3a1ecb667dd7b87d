/** Guests, and how one becomes an account. Spec: docs/contract/identity-guests.md. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { GuestsDefinition } from '#config/definitions/product.ts';
import { guestCount, keptUntil } from '#actors/identity/guest/store.ts';
import type { Answer } from '#test/kit/identity-call.ts';
import { solved } from '#test/kit/altcha.ts';
import { EMAIL, tokenIn } from '#test/kit/users.ts';
import { accountWorld, GRACE, NEW_PASSWORD, type AccountWorld } from '../account/kit.ts';

const GUESTS: GuestsDefinition = { roles: ['tenant_viewer'], keep: '720h', max: 100 };
const MANAGED = { sessions: { mode: 'managed', max: 1, on_limit: 'reject' } } as const;
const DAY_MS = 24 * 60 * 60_000;

type Accounts = NonNullable<Parameters<typeof accountWorld>[0]>;
const guestWorld = (accounts: Accounts = {}, more: Parameters<typeof accountWorld>[1] = {}) =>
  accountWorld({ guests: GUESTS, ...accounts }, more);

const asGuest = (world: AccountWorld) => world.ask('createGuest', { extra: ':ip:192.0.2.7\nuser-agent:tests\n' });
const bearerOf = ({ body }: Answer) => `Bearer ${body['access_token'] as string}`;
const idOf = async (world: AccountWorld, authorization: string) =>
  (await world.ask('showMe', { authorization })).body['id'] as string;

/** A new guest: the header of its token, and its id. */
async function guestIn(world: AccountWorld) {
  const answer = await asGuest(world);
  const authorization = bearerOf(answer);
  return { authorization, id: await idOf(world, authorization), refresh: answer.body['refresh_token'] };
}

const upgrade = (world: AccountWorld, authorization: string, email: unknown = GRACE) =>
  world.ask('upgradeGuest', { authorization, body: { email } });

async function swept(world: AccountWorld): Promise<void> {
  for (let i = 0; i < 50; i++) {
    world.settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a guest', () => {
  test('comes in without anything, has the roles of guests, and is marked as one', async () => {
    const world = guestWorld();
    const answer = await asGuest(world);
    expect(answer).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer' },
      headers: { 'Cache-Control': 'no-store' },
    });
    const me = await world.ask('showMe', { authorization: bearerOf(answer) });
    expect(me.body).toMatchObject({
      email: '',
      guest: true,
      verified: false,
      roles: ['tenant_viewer'],
      has_password: false,
    });
    expect((await world.refresh(answer.body['refresh_token'])).status).toBe(200);
    const id = me.body['id'];
    expect(world.events).toContainEqual(
      expect.objectContaining({ action: 'auth.guest_create.after', actor: id, target: id, outcome: 'ok' }),
    );
  });

  test('comes in by a session and by cookies, as a login does', async () => {
    const world = guestWorld({}, MANAGED);
    const answer = await asGuest(world);
    expect(answer.body['session_id']).toEqual(expect.any(String));
    const inCookies = await world.ask('createGuest', { extra: ':cookies:1\n' });
    expect(inCookies.status).toBe(200);
    const { authorization } = await guestIn(world);
    const { body } = await world.ask('listOwnSessions', { authorization });
    expect(body['sessions']).toMatchObject([{ kind: 'user', ip: '192.0.2.7', user_agent: 'tests' }]);
  });

  test('two guests are two users, and no address is taken by them', async () => {
    const world = guestWorld();
    const [one, two] = [await guestIn(world), await guestIn(world)];
    expect(one.id).not.toBe(two.id);
    expect(world.userNamed('')).toBeUndefined();
    expect(guestCount(world.store.begin())).toBe(2);
    expect((await world.ask('login', { body: { login: '', password: 'x' } })).status).not.toBe(200);
  });

  test('is refused where the product has none, and at planes; unknown members are refused', async () => {
    expect(await asGuest(accountWorld())).toMatchObject({ status: 404, code: 'no_guests' });
    const plane = accountWorld({ guests: GUESTS }, {}, { position: 'acme:atlas:dev:superadmin' });
    expect(await asGuest(plane)).toMatchObject({ status: 404, code: 'no_accounts' });
    const world = guestWorld();
    const wrong = await world.ask('createGuest', { body: { roles: ['tenant_admin'] } });
    expect(wrong).toMatchObject({ status: 400, code: 'bad_request' });
    expect(world.users()).toEqual([]);
  });

  test('shows an answer to the captcha where the product asks for one, given for guests', async () => {
    const world = guestWorld({ captcha: { provider: 'altcha', difficulty: 1000 } });
    expect(await asGuest(world)).toMatchObject({ status: 400, code: 'captcha_required' });
    const answer = async (purpose: string) =>
      solved((await world.ask('captchaChallenge', { query: `for=${purpose}` })).body);
    const by = async (altcha: string) => world.ask('createGuest', { body: { altcha } });
    expect((await by(await answer('sign_up'))).code).toBe('captcha_invalid');
    const good = await answer('guest');
    expect((await by(good)).status).toBe(200);
    expect((await by(good)).code).toBe('captcha_invalid');
    expect(world.users()).toHaveLength(1);
  });

  test('there are as many as the product says; the next one gets 503 until some go', async () => {
    const world = guestWorld({ guests: { ...GUESTS, max: 2 } });
    const first = await guestIn(world);
    await guestIn(world);
    expect(await asGuest(world)).toMatchObject({ status: 503, code: 'guests_full', headers: { 'Retry-After': '60' } });
    expect((await world.ask('deleteMe', { authorization: first.authorization })).status).toBe(200);
    expect((await asGuest(world)).status).toBe(200);
  });

  test('issues no key, invites no person, and is not made an administrator', async () => {
    const world = guestWorld();
    const { authorization, id } = await guestIn(world);
    expect(await world.ask('issueKey', { authorization, body: {} })).toMatchObject({
      status: 403,
      code: 'guest_denied',
    });
    expect((await world.invite(authorization)).code).toBe('invitation_denied');
    expect((await world.ask('listUsers', { authorization })).code).toBe('requires_tenant_admin');
    const admin = await world.administrator();
    const made = await world.ask('changeUser', { ...admin, id, body: { roles: ['tenant_admin'] } });
    expect(made).toMatchObject({ status: 403, code: 'guest_denied' });
    const mailed = await world.ask('sendReset', { ...admin, id });
    expect(mailed).toMatchObject({ status: 403, code: 'guest_denied' });
    expect((await world.ask('changeUser', { ...admin, id, body: { roles: ['tenant_user'] } })).status).toBe(200);
  });

  test('is found, and left out, by an administrator', async () => {
    const world = guestWorld();
    const { id } = await guestIn(world);
    const admin = await world.administrator();
    const listed = async (query: string) =>
      (
        (await world.ask('listUsers', { authorization: admin.authorization, query })).body['users'] as { id: string }[]
      ).map((user) => user.id);
    expect(await listed('guest=true')).toEqual([id]);
    expect(await listed('guest=false')).toEqual([admin.id]);
    expect((await listed('')).toSorted()).toEqual([id, admin.id].toSorted());
    expect(await listed('guest=true&q=admin')).toEqual([]);
    const bad = await world.ask('listUsers', { authorization: admin.authorization, query: 'guest=1' });
    expect(bad).toMatchObject({ status: 400, code: 'bad_request' });
  });
});

describe('the time of a guest', () => {
  test('is over after so many days without a use: the guest goes with its session, and the event says so', async () => {
    const world = guestWorld({}, MANAGED);
    const gone = [await guestIn(world), await guestIn(world)];
    world.clock.advance(29 * DAY_MS);
    const stays = await guestIn(world);
    world.clock.advance(2 * DAY_MS);
    await guestIn(world);
    await swept(world);
    expect(world.users()).toHaveLength(2);
    expect(world.user(stays.id)).toBeDefined();
    for (const { id, refresh } of gone) {
      expect(world.user(id)).toBeUndefined();
      expect((await world.refresh(refresh)).status).toBe(401);
      expect(world.events).toContainEqual(
        expect.objectContaining({ action: 'auth.user.removed', target: id, actor: '', outcome: 'ok' }),
      );
    }
    expect(guestCount(world.store.begin())).toBe(2);
  });

  test('moves on with each use, by a write a day', async () => {
    const world = guestWorld();
    let { refresh, id } = await guestIn(world);
    const until = () => keptUntil(world.store.begin(), id);
    const first = until();
    world.clock.advance(DAY_MS / 2);
    refresh = (await world.refresh(refresh)).body['refresh_token'];
    expect(until()).toBe(first);
    for (let days = 0; days < 60; days += 10) {
      world.clock.advance(10 * DAY_MS);
      const answer = await world.refresh(refresh);
      expect(answer.status).toBe(200);
      refresh = answer.body['refresh_token'];
    }
    await guestIn(world);
    await swept(world);
    expect(world.user(id)).toBeDefined();
    expect(until()! > first!).toBe(true);
  });

  test('many go in slices, and other turns come between', async () => {
    const many = 3 * limits.account.guestSweepRows + 1;
    const world = guestWorld({ guests: { ...GUESTS, max: 1000 } });
    for (let i = 0; i < many; i++) await asGuest(world);
    world.clock.advance(31 * DAY_MS);
    await asGuest(world);
    world.settle();
    await new Promise((resolve) => setImmediate(resolve));
    expect(world.users()).toHaveLength(many + 1 - limits.account.guestSweepRows);
    await swept(world);
    expect(world.users()).toHaveLength(1);
    expect(guestCount(world.store.begin())).toBe(1);
  });
});

describe('a guest becomes an account', () => {
  test('under the same id, with the roles of a sign-up, when the holder of the address chooses a password', async () => {
    const world = guestWorld();
    const { authorization, id, refresh } = await guestIn(world);
    expect(await upgrade(world, authorization)).toMatchObject({ status: 202, body: { ok: true } });
    expect(world.user(id)).toMatchObject({ guest: true, email: '', roles: ['tenant_viewer'] });
    const [mail] = await world.takeMail();
    expect(mail).toMatchObject({ to: GRACE, subject: 'Confirm your address' });
    const confirmed = await world.confirm(tokenIn(mail!.text), { firstname: 'Grace' });
    expect(confirmed.status).toBe(200);
    expect(world.users()).toHaveLength(1);
    expect(world.user(id)).toMatchObject({
      email: GRACE,
      roles: ['tenant_user'],
      firstname: 'Grace',
      verified_at: expect.any(String) as string,
    });
    expect(world.user(id)).not.toHaveProperty('guest');
    expect(await idOf(world, bearerOf(confirmed))).toBe(id);
    expect((await world.login({ login: GRACE, password: NEW_PASSWORD })).status).toBe(200);
    expect(guestCount(world.store.begin())).toBe(0);
    expect((await world.refresh(refresh)).status).toBe(401);
    expect(world.events).toContainEqual(
      expect.objectContaining({
        action: 'auth.user.changed',
        target: id,
        actor: id,
        data: { roles: ['tenant_user'], changed: ['guest', 'email', 'roles'] },
      }),
    );
    expect(await upgrade(world, bearerOf(confirmed))).toMatchObject({ status: 409, code: 'not_a_guest' });
  });

  /** The holder of a link need not be the one who came as the guest. */
  test('ends every login and factor of the guest: who asked for a stranger’s address does not stay in the account', async () => {
    const world = guestWorld({}, MANAGED);
    const thief = await guestIn(world);
    await upgrade(world, thief.authorization);
    expect((await world.confirm(await world.mailedToken())).status).toBe(200);
    expect((await world.ask('showMe', { authorization: thief.authorization })).status).toBe(401);
    expect((await world.refresh(thief.refresh)).status).toBe(401);
  });

  test('known, unknown and waiting addresses get one answer, and the owner of a known one the news', async () => {
    const world = guestWorld();
    await world.addUser();
    const { authorization } = await guestIn(world);
    const answers = [];
    for (const email of [EMAIL, GRACE, GRACE]) answers.push(await upgrade(world, authorization, email));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const mails = await world.takeMail();
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
      [EMAIL, 'You have an account already'],
      [GRACE, 'Confirm your address'],
    ]);
  });

  test('a link does not count for a guest who is gone, disabled, or an account by now', async () => {
    const world = guestWorld();
    const admin = await world.administrator();
    for (const end of ['removeUser', 'changeUser', 'confirm'] as const) {
      const { authorization, id } = await guestIn(world);
      await upgrade(world, authorization, `a-${end.toLowerCase()}@example.org`);
      const token = await world.mailedToken();
      await upgrade(world, authorization, `b-${end.toLowerCase()}@example.org`);
      if (end === 'confirm') expect((await world.confirm(await world.mailedToken())).status).toBe(200);
      else await world.ask(end, { ...admin, id, body: end === 'changeUser' ? { disabled: true } : undefined });
      expect(await world.confirm(token)).toMatchObject({ status: 401, code: 'invalid_one_time_token' });
    }
  });

  test('an address that got an account meanwhile is 409, and the guest stays as it was', async () => {
    const world = guestWorld();
    const { authorization, id } = await guestIn(world);
    await upgrade(world, authorization);
    const token = await world.mailedToken();
    await world.addUser(GRACE);
    expect(await world.confirm(token)).toMatchObject({ status: 409, code: 'login_taken' });
    expect(world.user(id)).toMatchObject({ guest: true, email: '' });
    expect((await world.ask('showMe', { authorization })).status).toBe(200);
  });

  test('the rules of a sign-up hold: its state, its domains, its captcha', async () => {
    const of = async (accounts: Accounts, email = GRACE) => {
      const world = guestWorld(accounts);
      return upgrade(world, (await guestIn(world)).authorization, email);
    };
    expect(await of({ sign_up: 'closed' })).toMatchObject({ status: 403, code: 'sign_up_closed' });
    expect(await of({ domains: ['example.org'] }, 'eve@else.example')).toMatchObject({
      status: 403,
      code: 'email_domain',
    });
    const world = guestWorld({ captcha: { provider: 'altcha', difficulty: 1000 } });
    const challenge = await world.ask('captchaChallenge', { query: 'for=guest' });
    const guest = await world.ask('createGuest', { body: { altcha: await solved(challenge.body) } });
    expect(await upgrade(world, bearerOf(guest))).toMatchObject({ status: 400, code: 'captcha_required' });
  });

  test('no key, no service and no impersonation does it for a guest', async () => {
    const world = guestWorld();
    const { id } = await guestIn(world);
    expect((await upgrade(world, world.key({ roles: ['tenant_admin'] }))).code).toBe('auth_required');
    expect((await upgrade(world, world.impersonating(id))).code).toBe('account_denied');
    expect(await world.ask('upgradeGuest', { body: { email: GRACE } })).toMatchObject({ status: 401 });
  });
});
