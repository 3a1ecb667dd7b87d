/** Invitations of administrators. Spec: docs/contract/identity-users.md §8.4. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { putUser } from '#actors/identity/store.ts';
import { EMAIL, tokenIn, UserWorld } from '#test/kit/users.ts';
import { accountWorld, GRACE, NEW_PASSWORD, type AccountWorld } from './kit.ts';

const DENIED = { status: 403, code: 'invitation_denied' };
const BAD_LINK = { status: 401, code: 'invalid_one_time_token' };

async function invited(world: AccountWorld, roles: readonly string[] = ['clerk']) {
  const { id, authorization } = await world.administrator();
  const { body } = await world.invite(authorization, GRACE, roles);
  return { administrator: id, authorization, invitation: body['id'] as string, token: await world.mailedToken() };
}

const list = (world: AccountWorld, authorization: string, query = '') =>
  world.ask('listInvitations', { authorization, query });
const withdraw = (world: AccountWorld, authorization: string, id: string) =>
  world.ask('deleteInvitation', { authorization, id });

describe('an invitation', () => {
  test.each(['closed', 'invitation', 'open'] as const)(
    'with sign_up %s gives the account with its roles',
    async (sign_up) => {
      const world = accountWorld({ sign_up });
      const { id, authorization } = await world.administrator();
      const made = await world.invite(authorization, GRACE, ['clerk', 'tenant_admin']);
      expect(made).toMatchObject({
        status: 201,
        body: { email: GRACE, roles: ['clerk', 'tenant_admin'], invited_by: id },
      });
      const expires = Date.parse(made.body['expires_at'] as string);
      expect(expires - world.clock.now()).toBe(limits.account.invitationMs);
      const [mail] = await world.takeMail();
      expect(mail).toMatchObject({ to: GRACE, subject: 'You are invited' });
      expect(mail!.text).toContain('https://main.example.org/join#');
      world.clock.advance(limits.account.invitationMs - 1);
      expect((await world.confirm(tokenIn(mail!.text))).status).toBe(200);
      expect(world.userNamed(GRACE)).toMatchObject({ roles: ['clerk', 'tenant_admin'] });
      expect(world.userNamed(GRACE)?.verified_at).toBeDefined();
      expect((await list(world, authorization)).body).toEqual({ invitations: [], next: null });
    },
  );

  test('goes to any address: the domains bind those who come by themselves', async () => {
    const world = accountWorld({ domains: ['else.example'] });
    const { token } = await invited(world);
    expect((await world.confirm(token)).status).toBe(200);
  });

  test('of the same address takes the place of the one before', async () => {
    const world = accountWorld();
    const { authorization, token } = await invited(world);
    await world.invite(authorization, GRACE.toUpperCase(), ['boss']);
    const next = await world.mailedToken();
    expect((await list(world, authorization)).body['invitations']).toHaveLength(1);
    expect(await world.confirm(token)).toMatchObject(BAD_LINK);
    expect((await world.confirm(next)).status).toBe(200);
    expect(world.userNamed(GRACE)?.roles).toEqual(['boss']);
  });

  test('and a sign-up of the same address stand beside each other; the first that is confirmed ends both', async () => {
    const world = accountWorld();
    const { token } = await invited(world);
    await world.signUp();
    const own = tokenIn((await world.takeMail()).at(-1)!.text);
    expect((await world.confirm(own)).status).toBe(200);
    expect(world.userNamed(GRACE)?.roles).toEqual(['tenant_user']);
    expect(await world.confirm(token)).toMatchObject(BAD_LINK);
  });

  test('ends when it is withdrawn, also while its mail waits', async () => {
    const world = accountWorld();
    const { authorization, invitation, token } = await invited(world);
    expect((await withdraw(world, authorization, invitation)).status).toBe(200);
    expect(await world.confirm(token)).toMatchObject(BAD_LINK);
    expect(await withdraw(world, authorization, invitation)).toMatchObject({
      status: 404,
      code: 'invitation_not_found',
    });
    const { body } = await world.invite(authorization, 'eve@example.org');
    await withdraw(world, authorization, body['id'] as string);
    expect(
      await world.takeMail(
        world
          .outbox()
          .slice(0, 1)
          .map(({ id }) => id),
      ),
    ).toEqual([]);
  });

  test('ends with the authority of its inviter: demoted, disabled, gone, or a key that is revoked', async () => {
    const world = accountWorld();
    const { administrator, token } = await invited(world);
    const before = world.user(administrator)!;
    const become = (roles: readonly string[], more: object = {}) => {
      const turn = world.store.begin();
      putUser(turn, { ...before, roles, ...more });
      turn.commit();
    };
    become(['tenant_user']);
    expect(await world.confirm(token)).toMatchObject(BAD_LINK);
    become(['tenant_admin'], { disabled_at: '2026-01-01T00:00:00.000Z' });
    expect(await world.confirm(token)).toMatchObject(BAD_LINK);
    become(['tenant_admin']);
    expect((await world.confirm(token)).status).toBe(200);

    const key = world.key({ roles: ['tenant_admin'] });
    expect((await world.invite(key, 'eve@example.org')).status).toBe(201);
    const late = await world.mailedToken();
    const id = key.slice('ApiKey '.length).split('.')[0]!;
    await world.ask('revokeKey', { authorization: key, id });
    expect(await world.confirm(late)).toMatchObject(BAD_LINK);
  });
});

describe('refused', () => {
  test('every caller but an administrator of the tenant itself', async () => {
    const world = accountWorld();
    const { id } = await world.administrator();
    for (const authorization of [
      world.bearer(['tenant_user']),
      world.bearer(['Tenant_Admin']),
      world.impersonating(id),
      world.impersonating(id, 'readonly'),
      world.bearer([], { type: 'service', sub: 'apikey:K', scope: ['acme:dev:atlas:main'] }),
      world.key(),
      world.key({ roles: ['tenant_user'] }),
    ]) {
      expect(await world.invite(authorization)).toMatchObject(DENIED);
      expect(await list(world, authorization)).toMatchObject(DENIED);
      expect(await withdraw(world, authorization, 'x')).toMatchObject(DENIED);
    }
    const stranger = world.bearer(['tenant_admin'], { tenant: 'evil:atlas:dev:main' });
    for (const authorization of ['', 'Bearer x', `ApiKey x`, stranger])
      expect((await world.invite(authorization)).status).toBe(401);
    expect(world.outbox()).toEqual([]);
  });

  test.each([
    'superadmin',
    'SuperAdmin',
    'platform_admin',
    'env_admin',
    'impersonate',
    'impersonate-readonly',
    'a b',
    '',
  ])('the role %j, from a superadmin too', async (role) => {
    const world = accountWorld();
    const { authorization } = await world.administrator(['superadmin', 'platform_admin', 'tenant_admin']);
    const answer = await world.invite(authorization, GRACE, ['clerk', role]);
    expect([400, 403]).toContain(answer.status);
    expect(world.outbox()).toEqual([]);
  });

  test('a role that the product does not declare, where it declares any', async () => {
    const world = accountWorld({}, { roles: { dispatcher: 'assigns tickets' } });
    const { authorization } = await world.administrator();
    const answer = await world.invite(authorization, GRACE, ['dispacher']);
    expect(answer).toMatchObject({ status: 403, code: 'invitation_denied' });
    expect(String(answer.body['error'])).toContain('did you mean "dispatcher"?');
    expect((await world.invite(authorization, GRACE, ['dispatcher', 'tenant_user'])).status).toBe(201);
  });

  test('an address that has an account', async () => {
    const world = accountWorld();
    await world.addUser();
    const { authorization } = await world.administrator();
    expect(await world.invite(authorization, EMAIL)).toMatchObject({ status: 409, code: 'login_taken' });
  });

  test('in a product without the section', async () => {
    const world = new UserWorld();
    const authorization = world.bearer(['tenant_admin']);
    for (const [name, ask] of [
      ['createInvitation', { body: { email: GRACE, roles: [] } }],
      ['listInvitations', {}],
      ['deleteInvitation', { id: 'x' }],
    ] as const)
      expect(await world.ask(name, { authorization, ...ask })).toMatchObject({ status: 404, code: 'no_accounts' });
  });

  test('beyond the bound, until some are withdrawn', async () => {
    const world = accountWorld();
    const { authorization } = await world.administrator();
    let last = '';
    for (let i = 0; i < limits.account.invitationsMax; i++) {
      const { body, status } = await world.invite(authorization, `p${i}@example.org`);
      expect(status).toBe(201);
      last = body['id'] as string;
      if (i % 500 === 499) for (const { id } of world.outbox()) world.settleMail(id);
    }
    expect(await world.invite(authorization)).toMatchObject({ status: 409, code: 'invitations_full' });
    await withdraw(world, authorization, last);
    expect((await world.invite(authorization)).status).toBe(201);
  });
});

test('the list goes page by page and leaves out what has expired', async () => {
  const world = accountWorld();
  const { authorization } = await world.administrator();
  await world.invite(authorization, 'old@example.org');
  world.clock.advance(limits.account.invitationMs - 1000);
  for (const name of ['a', 'b', 'c']) await world.invite(authorization, `${name}@example.org`);
  world.clock.advance(1000);
  const seen: string[] = [];
  let after = '';
  for (let pages = 0; pages < 5; pages++) {
    const { body } = await list(world, authorization, `limit=2&after=${after}`);
    const { invitations, next } = body as { invitations: { email: string }[]; next: string | null };
    seen.push(...invitations.map(({ email }) => email));
    if (next === null) break;
    after = next;
  }
  expect(seen).toEqual(['a@example.org', 'b@example.org', 'c@example.org']);
  for (const query of ['limit=0', 'limit=x', 'limit=101'])
    expect(await list(world, authorization, query)).toMatchObject({ status: 400, code: 'bad_request' });
});

test('events name the administrator, the invitation and its roles, and no token', async () => {
  const world = accountWorld();
  const { administrator, invitation, token } = await invited(world);
  await world.confirm(token, { password: NEW_PASSWORD });
  const ended = world.events.filter(({ action }) => action.endsWith('.after'));
  expect(ended[0]).toMatchObject({
    action: 'auth.invitation_create.after',
    actor: administrator,
    target: invitation,
    outcome: 'ok',
    personal: { email: GRACE },
    data: { roles: ['clerk'] },
  });
  expect(ended[1]).toMatchObject({
    action: 'auth.sign_up_confirm.after',
    data: { kind: 'invitation', roles: ['clerk'] },
  });
  expect(JSON.stringify(world.events)).not.toContain(token);
});
