/** Users that an administrator adds, changes, disables and deletes, and what the administrator may not do. */
import { describe, expect, test } from 'vitest';
import { findUser } from '#actors/identity/store.ts';
import { putTotp, findTotp } from '#actors/identity/mfa/store.ts';
import { putPasskey } from '#actors/identity/passkey/store.ts';
import { PASSWORD } from '#test/kit/users.ts';
import { messageOf, PeopleWorld, said } from './kit.ts';

const WISH = { email: 'New@example.org', firstname: 'New', roles: ['tenant_user'] };
const OPERATORS = ['superadmin', 'platform_admin', 'customer_admin', 'product_admin', 'env_admin', 'impersonate', 'impersonate-readonly', 'SuperAdmin']; // prettier-ignore
const ROLES = { dispatcher: 'assigns tickets', auditor2: 'reads' };
const managed = { settings: { sessions: { mode: 'managed' } } } as const;

describe('a new user', () => {
  test('with a password logs in, and is on record with the administrator', async () => {
    const world = await PeopleWorld.open();
    const made = await world.add({ ...WISH, password: 'a fresh password' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ email: WISH.email, roles: ['tenant_user'], disabled: false, has_password: true });
    expect((await world.login({ login: 'new@EXAMPLE.org', password: 'a fresh password' })).status).toBe(200);
    const events = world.events.filter(({ action }) => action.startsWith('auth.user'));
    expect(events).toMatchObject([
      { action: 'auth.user_add.before', actor: world.adminId },
      { action: 'auth.user.created', actor: world.adminId, target: made.body['id'], data: { roles: ['tenant_user'] } },
      { action: 'auth.user_add.after', actor: world.adminId, target: made.body['id'], outcome: 'ok' },
    ]);
    expect(JSON.stringify(world.events)).not.toContain('a fresh password');
  });

  test('without one gets a link, sets a password and logs in', async () => {
    const world = await PeopleWorld.open();
    const made = await world.add({ ...WISH, send_reset: true });
    expect(made.body).toMatchObject({ has_password: false });
    expect(world.pending).toHaveLength(1);
    const token = await world.mailedToken();
    expect((await world.ask('confirmReset', { body: { token, password: 'a fresh password' } })).status).toBe(200);
    expect((await world.login({ login: WISH.email, password: 'a fresh password' })).status).toBe(200);
  });

  test('is not made where the link cannot leave', async () => {
    const world = await PeopleWorld.open({}, false);
    expect(said(await world.add({ ...WISH, send_reset: true }))).toEqual([503, 'no_mail']);
    expect(await world.found('q=new')).toEqual([]);
    expect((await world.add(WISH)).status).toBe(201);
  });

  test('with a login that is taken, in any case of letters: 409, once of two at the same time', async () => {
    const world = await PeopleWorld.open();
    const wish = { ...WISH, password: 'a fresh password' };
    const both = await Promise.all([world.add(wish), world.add({ ...wish, email: 'nEW@example.org' })]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(said(await world.add(WISH))).toEqual([409, 'login_taken']);
  });

  test.each([
    [{ ...WISH, email: 'x' }, /^"email: /],
    [{ ...WISH, password: '12345678' }, /^"password: /],
    [{ ...WISH, role: ['x'] }, /role/],
    [{ ...WISH, roles: ['a b'] }, /^"roles/],
    [{ ...WISH, roles: [''] }, /^"roles/],
    [{ ...WISH, roles: Array.from({ length: 500 }, (_, n) => `role_number_${n}`) }, /^"roles: more roles/],
    [{ ...WISH, firstname: 'x'.repeat(300) }, /^"firstname: /],
    [{ ...WISH, allow_impersonation: true }, /allow_impersonation/],
    [{ ...WISH, disabled_at: 'x' }, /disabled_at/],
    [[], /object/],
  ])('%# a body that is not valid is refused with its member', async (body, why) => {
    const answer = await (await PeopleWorld.open()).add(body);
    expect(said(answer)).toEqual([400, 'bad_request']);
    expect(messageOf(answer)).toMatch(why);
  });
});

describe('roles', () => {
  test.each(OPERATORS)(
    '%s is never given, to a new user or to one who is there, not even by a superadmin',
    async (role) => {
      const world = await PeopleWorld.open();
      const id = await world.addUser('ann@example.org');
      const superadmin = world.bearer(['superadmin', 'tenant_admin', role], { sub: world.adminId });
      for (const who of [world.admin, superadmin]) {
        expect(said(await world.add({ ...WISH, roles: [role] }, who))).toEqual([403, 'scope_exceeds_authority']);
        expect(said(await world.change(id, { roles: [role] }, who))).toEqual([403, 'scope_exceeds_authority']);
      }
      expect(world.user(id)!.roles).toEqual(['tenant_user']);
    },
  );

  test('of a catalogue, with a suggestion for a typo; platform roles of the tenant are in every catalogue', async () => {
    const world = await PeopleWorld.open({ settings: { roles: ROLES } });
    const typo = await world.add({ ...WISH, roles: ['dispacher'] });
    expect(said(typo)).toEqual([400, 'undeclared_role']);
    expect(messageOf(typo)).toContain('did you mean \\"dispatcher\\"?');
    const made = await world.add({ ...WISH, roles: ['dispatcher', 'tenant_viewer', 'dispatcher'] });
    expect(made.body['roles']).toEqual(['dispatcher', 'tenant_viewer']);
    expect(said(await world.change(made.body['id'] as string, { roles: ['toString'] }))).toEqual([
      400,
      'undeclared_role',
    ]);
    expect((await world.ask('issueKey', { authorization: world.admin, body: { capabilities: { roles: ['tenant_admin'] } } })).status).toBe(201); // prettier-ignore
  });

  test('a role from before the catalogue may stay, and cannot be given again', async () => {
    const world = await PeopleWorld.open({ settings: { roles: ROLES } });
    const id = await world.addUser('ann@example.org', ['legacy']);
    expect((await world.change(id, { roles: ['legacy', 'dispatcher'] })).status).toBe(200);
    expect((await world.change(id, { roles: ['dispatcher'] })).status).toBe(200);
    expect(said(await world.change(id, { roles: ['legacy'] }))).toEqual([400, 'undeclared_role']);
  });

  test('without a catalogue any word is a role', async () => {
    const world = await PeopleWorld.open();
    expect((await world.add({ ...WISH, roles: ['night_shift'] })).status).toBe(201);
  });

  test('a role that is lost ends the sessions; a gained one does not', async () => {
    const world = await PeopleWorld.open(managed);
    const id = await world.addUser('ann@example.org', ['a']);
    const { body } = await world.login({ login: 'ann@example.org' });
    await world.change(id, { roles: ['a', 'b'] });
    const again = await world.refresh(body['refresh_token']);
    expect(again.status).toBe(200);
    await world.change(id, { roles: ['b'] });
    expect(said(await world.refresh(again.body['refresh_token']))).toEqual([401, 'invalid_refresh_token']);
  });
});

describe('an operator among the users is out of reach', () => {
  const acts = [
    'changeUser',
    'removeUser',
    'resetSecondFactor',
    'sendReset',
    'endUserSessions',
    'endUserSession',
  ] as const;

  test.each(OPERATORS)('with %s: every act is 403', async (role) => {
    const world = await PeopleWorld.open();
    const id = await world.addUser('op@example.org', [role]);
    for (const act of acts) {
      const path = act === 'endUserSession' ? `${id}\nx` : id;
      const answer = await world.ask(act, { authorization: world.admin, id: path, body: { disabled: true } });
      expect([act, ...said(answer)]).toEqual([act, 403, 'user_out_of_reach']);
    }
    expect(world.user(id)).toMatchObject({ roles: [role] });
    expect(world.user(id)!.disabled_at).toBeUndefined();
  });

  test('a superadmin of the position reaches them, but not one whose role goes beyond it', async () => {
    const world = await PeopleWorld.open();
    const superadmin = world.bearer(['superadmin'], { sub: world.adminId });
    const near = await world.addUser('near@example.org', ['superadmin', 'impersonate']);
    const far = await world.addUser('far@example.org', ['platform_admin']);
    expect((await world.change(near, { disabled: true }, superadmin)).status).toBe(200);
    expect(said(await world.change(far, { disabled: true }, superadmin))).toEqual([403, 'user_out_of_reach']);
  });
});

describe('the last administrator', () => {
  test('is not disabled, demoted or deleted, not by a superadmin’s token either', async () => {
    const world = await PeopleWorld.open();
    const superadmin = world.bearer(['superadmin'], { sub: 'S' });
    await world.addUser('ann@example.org');
    for (const who of [world.admin, superadmin]) {
      for (const change of [
        { disabled: true },
        { roles: ['tenant_user'] },
        { roles: [] },
        { disabled: true, roles: [] },
      ])
        expect(said(await world.change(world.adminId, change, who))).toEqual([409, 'last_administrator']);
      expect(said(await world.remove(world.adminId, who))).toEqual([409, 'last_administrator']);
    }
    expect((await world.change(world.adminId, { firstname: 'B', roles: ['tenant_admin', 'x'] })).status).toBe(200);
  });

  test('one who was disabled does nothing more, though the token still lives', async () => {
    const world = await PeopleWorld.open();
    const second = await world.addUser('second@example.org', ['tenant_admin']);
    const late = world.bearer(['tenant_admin'], { sub: second });
    expect((await world.change(second, { disabled: true })).status).toBe(200);
    expect(said(await world.change(world.adminId, { disabled: true }, late))).toEqual([401, 'invalid_token']);
    expect(said(await world.add({ email: 'eve@example.org' }, late))).toEqual([401, 'invalid_token']);
    for (const route of ['issueKey', 'makeAdminKey', 'listAdminKeys'] as const)
      expect(said(await world.ask(route, { authorization: late, body: { name: 'x' } }))).toEqual([
        401,
        'invalid_token',
      ]);
  });

  test('a disabled one does not count as another; two who act at once do not both go', async () => {
    const world = await PeopleWorld.open();
    const second = await world.addUser('second@example.org', ['tenant_admin']);
    const both = await Promise.all([
      world.change(world.adminId, { disabled: true }),
      world.change(second, { disabled: true }, world.bearer(['tenant_admin'], { sub: second })),
    ]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });
});

describe('a disabled user', () => {
  async function disabled(): Promise<{ world: PeopleWorld; id: string; refresh: unknown; access: string }> {
    const world = await PeopleWorld.open(managed);
    const id = await world.addUser();
    const { body } = await world.login();
    expect((await world.change(id, { disabled: true })).body).toMatchObject({ disabled: true });
    return { world, id, refresh: body['refresh_token'], access: `Bearer ${String(body['access_token'])}` };
  }

  test('loses every login at once: session, refresh token, password, links', async () => {
    const { world, refresh, access } = await disabled();
    expect((await world.ask('listSessions', { authorization: access, body: {} })).status).toBe(401);
    expect(said(await world.refresh(refresh))).toEqual([401, 'invalid_refresh_token']);
    const right = await world.login();
    expect(right).toEqual(await world.login({ password: 'wrong password' }));
    expect(said(right)).toEqual([401, 'invalid_credentials']);
  });

  test('with a second factor is refused as a wrong password is, not asked for a code', async () => {
    const { world, id } = await disabled();
    const turn = world.store.begin();
    putTotp(turn, id, { secret: Buffer.alloc(20), enabled: true, last_step: 0, created_at: '', enabled_at: '' });
    turn.commit();
    expect(said(await world.login())).toEqual([401, 'invalid_credentials']);
  });

  test('gets no mail, and a link from before opens nothing', async () => {
    const world = await PeopleWorld.open();
    const id = await world.addUser();
    await world.ask('requestReset', { body: { login: 'ada@example.org' } });
    const token = await world.mailedToken();
    world.settleMail(world.outbox()[0]!.id);
    await world.ask('requestMagicLink', { body: { login: 'ada@example.org' } });
    await world.change(id, { disabled: true });
    expect(await world.takeMail()).toEqual([]);
    expect(said(await world.ask('confirmReset', { body: { token, password: 'a fresh password' } }))).toEqual([401, 'invalid_one_time_token']); // prettier-ignore
    expect((await world.ask('requestMagicLink', { body: { login: 'ada@example.org' } })).status).toBe(202);
    expect(await world.takeMail()).toEqual([]);
    expect(said(await world.ask('sendReset', { authorization: world.admin, id }))).toEqual([409, 'user_disabled']);
  });

  test('a wrong guess and a right one count alike: neither is given back', async () => {
    const { world } = await disabled();
    const answers = [];
    for (let n = 0; n < 25; n++) answers.push((await world.login({}, ':bucket:192.0.2.9\n')).status);
    expect(answers).toContain(429);
  });

  test('who is enabled again logs in with the password from before; the old tokens stay ended', async () => {
    const { world, id, refresh } = await disabled();
    expect((await world.change(id, { disabled: false })).body).toMatchObject({ disabled: false, disabled_at: null });
    expect((await world.login()).status).toBe(200);
    expect((await world.refresh(refresh)).status).toBe(401);
  });

  test('repeating it keeps the first time', async () => {
    const { world, id } = await disabled();
    const since = world.user(id)!.disabled_at;
    world.clock.set(world.clock.now() + 60_000);
    await world.change(id, { disabled: true, firstname: 'Ada' });
    expect(world.user(id)).toMatchObject({ disabled_at: since, firstname: 'Ada' });
  });
});

describe('consent to impersonation', () => {
  test('is taken away by an administrator, never given', async () => {
    const world = await PeopleWorld.open();
    const id = await world.addUser();
    const given = await world.change(id, { allow_impersonation: true });
    expect(said(given)).toEqual([400, 'bad_request']);
    expect(messageOf(given)).toContain('only the user gives this consent');
    expect((await world.change(id, { allow_impersonation: false })).body).toMatchObject({ allow_impersonation: false });
  });
});

describe('a deleted user', () => {
  test('is gone with logins, factor, links and index; the address is free', async () => {
    const world = await PeopleWorld.open(managed);
    const id = await world.addUser();
    const { body } = await world.login();
    const turn = world.store.begin();
    putTotp(turn, id, { secret: Buffer.alloc(20), enabled: true, last_step: 0, created_at: '', enabled_at: '' });
    turn.commit();
    expect((await world.remove(id)).status).toBe(200);
    expect(findUser(world.store.begin(), id)).toBeUndefined();
    expect(findTotp(world.store.begin(), id)).toBeUndefined();
    expect((await world.refresh(body['refresh_token'])).status).toBe(401);
    expect(said(await world.login())).toEqual([401, 'invalid_credentials']);
    expect(said(await world.remove(id))).toEqual([404, 'unknown_user']);
    expect((await world.add({ email: 'ADA@example.org' })).status).toBe(201);
    expect(world.events.find(({ action }) => action === 'auth.user.removed')).toMatchObject({ actor: world.adminId, target: id }); // prettier-ignore
  });
});

describe('sessions of a user', () => {
  test('listed, one ended, all ended; none of another user through this one’s path', async () => {
    const world = await PeopleWorld.open(managed);
    const ann = await world.addUser('ann@example.org');
    const bob = await world.addUser('bob@example.org');
    const sids: string[] = [];
    for (let n = 0; n < 3; n++) sids.push(String((await world.login({ login: 'ann@example.org' })).body['session_id']));
    const bobs = (await world.login({ login: 'bob@example.org' })).body['session_id'] as string;
    const listed = await world.ask('listUserSessions', { authorization: world.admin, id: ann });
    expect(listed.body).toMatchObject({ count: 3 });
    const end = (id: string, sid: string) =>
      world.ask('endUserSession', { authorization: world.admin, id: `${id}\n${sid}` });
    expect(said(await end(ann, bobs))).toEqual([404, 'session_not_found']);
    expect((await end(ann, sids[0]!)).body).toEqual({ ended: 1 });
    expect(said(await end(ann, sids[0]!))).toEqual([404, 'session_not_found']);
    const all = await world.ask('endUserSessions', { authorization: world.admin, id: ann });
    expect(all.body).toEqual({ ended: 2 });
    expect((await end(bob, bobs)).body).toEqual({ ended: 1 });
  });

  test('all also ends refresh tokens of a tenant without sessions', async () => {
    const world = await PeopleWorld.open();
    const id = await world.addUser();
    const { body } = await world.login();
    await world.ask('endUserSessions', { authorization: world.admin, id });
    expect((await world.refresh(body['refresh_token'])).status).toBe(401);
    expect((await world.login()).status).toBe(200);
  });
});

test('a link from an administrator: as few mails for an address as strangers can send', async () => {
  const world = await PeopleWorld.open();
  const id = await world.addUser();
  const statuses = [];
  for (let n = 0; n < 5; n++) statuses.push((await world.ask('sendReset', { authorization: world.admin, id })).status);
  expect(statuses).toEqual([202, 202, 202, 429, 429]);
  expect((await world.ask('confirmReset', { body: { token: await world.mailedToken(), password: 'a fresh password' } })).status).toBe(200); // prettier-ignore
  expect((await world.login({ password: PASSWORD })).status).toBe(401);
});

test('a lost second factor is reset, on record', async () => {
  const world = await PeopleWorld.open();
  const id = await world.addUser();
  const turn = world.store.begin();
  const passkey = {
    credential_id: 'c',
    public_key: Buffer.alloc(1),
    transports: [],
    device_type: 'singleDevice',
  } as const;
  putPasskey(turn, { id: 'p', user: id, aaguid: '', name: 'Key', second_factor: false, created_at: '', ...passkey });
  putTotp(turn, id, { secret: Buffer.alloc(20), enabled: true, last_step: 0, created_at: '', enabled_at: '' });
  turn.commit();
  expect((await world.ask('showUser', { authorization: world.admin, id })).body).toMatchObject({
    second_factor: true,
    passkeys: 1,
  });
  expect(said(await world.login())).toEqual([401, 'mfa_required']);
  expect((await world.ask('resetSecondFactor', { authorization: world.admin, id })).status).toBe(200);
  expect((await world.login()).status).toBe(200);
  expect(world.events.find(({ action }) => action === 'auth.user.changed')).toMatchObject({ target: id, data: { second_factor: 'reset' } }); // prettier-ignore
});

describe('callers', () => {
  const ROUTES = ['listUsers', 'showUser', 'addUser', 'changeUser', 'removeUser', 'resetSecondFactor', 'sendReset', 'listUserSessions', 'endUserSessions', 'endUserSession'] as const; // prettier-ignore

  test.each(ROUTES)('%s refuses users, keys, services, impersonations and bearers of elsewhere', async (route) => {
    const world = await PeopleWorld.open();
    const id = await world.addUser();
    const ask = (authorization: string, more: object = {}) =>
      world.ask(route, { authorization, id: `${id}${route === 'endUserSession' ? '\nx' : ''}`, body: '{', ...more });
    const refused = async (authorization: string) => said(await ask(authorization));
    for (const roles of [[], ['tenant_user'], ['admin'], ['Tenant_Admin'], ['platform_admin']])
      expect(await refused(world.bearer(roles, { sub: id }))).toEqual([403, 'requires_tenant_admin']);
    for (const mode of ['readonly', 'full'])
      expect(
        (await ask(world.bearer(['tenant_admin'], { sub: world.adminId, act: { sub: 'O', mode } }))).status,
      ).not.toBe(200);
    expect(await refused(world.key({ roles: ['tenant_admin'], is_superadmin: true }))).toEqual([401, 'auth_required']);
    expect(await refused(world.bearer(['tenant_admin'], { tenant: 'acme:atlas:dev:other' }))).toEqual([
      401,
      'invalid_token',
    ]);
    expect(await refused('')).toEqual([401, 'auth_required']);
    expect(said(await ask(world.admin, { tenantNo: 0 }))).toEqual([400, 'no_tenant']);
    expect(world.user(id)).toBeDefined();
  });
});
