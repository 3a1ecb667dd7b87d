/** A user's own sessions, impersonations among them. Spec: docs/contract/identity-users.md §8.9. */
import { expect, test } from 'vitest';
import { EMAIL } from '#test/kit/users.ts';
import { accountWorld, GRACE, type AccountWorld } from './kit.ts';

const MANAGED = { sessions: { mode: 'managed' } } as const;
interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly current: boolean;
  readonly ended_at: string | null;
}

async function open(settings = {}) {
  const world = accountWorld({}, settings);
  const id = await world.addUser();
  const { access_token, refresh_token } = (await world.login({}, ':ip:192.0.2.1\nuser-agent:Lynx\n')).body;
  return { world, id, authorization: `Bearer ${access_token as string}`, refresh_token };
}

async function list(world: AccountWorld, authorization: string): Promise<Shown[]> {
  const { body } = await world.ask('listOwnSessions', { authorization });
  return body['sessions'] as Shown[];
}
const end = (world: AccountWorld, authorization: string, id: string) =>
  world.ask('endOwnSession', { authorization, id });

test('lists one’s logins with address and browser, and which is this one; none of another user', async () => {
  const { world, authorization } = await open(MANAGED);
  await world.addUser(GRACE);
  await world.login({ login: GRACE });
  world.clock.advance(1000);
  await world.login();
  const sessions = await list(world, authorization);
  expect(sessions).toHaveLength(2);
  expect(sessions[0]).toMatchObject({ kind: 'user', current: false });
  expect(sessions[1]).toMatchObject({
    kind: 'user',
    current: true,
    ip: '192.0.2.1',
    user_agent: 'Lynx',
    ended_at: null,
  });
});

test.each([MANAGED, {}])(
  'an impersonation is shown with operator, reason and mode, and the user ends it (%j)',
  async (settings) => {
    const { world, id, authorization } = await open(settings);
    world.clock.advance(1000);
    const operator = world.impersonating(id, 'readonly', 'ticket 7');
    const [shown] = await list(world, authorization);
    const impersonation = { operator: 'OPERATOR', reason: 'ticket 7', mode: 'readonly' };
    expect(shown).toMatchObject({ kind: 'impersonation', impersonation, current: false });
    expect((await end(world, authorization, shown!.id)).status).toBe(200);
    expect((await world.ask('showMe', { authorization: operator })).code).toBe('invalid_token');
    expect((await list(world, authorization)).find((one) => one.id === shown!.id)?.ended_at).not.toBeNull();
  },
);

test('an ended session takes its refresh token along; the own one may be ended too', async () => {
  const { world, authorization } = await open(MANAGED);
  const other = (await world.login()).body;
  expect((await end(world, authorization, other['session_id'] as string)).status).toBe(200);
  expect((await world.refresh(other['refresh_token'])).code).toBe('invalid_refresh_token');
  const own = (await list(world, authorization)).find(({ current }) => current);
  expect((await end(world, authorization, own!.id)).status).toBe(200);
  expect((await world.ask('showMe', { authorization })).code).toBe('invalid_token');
});

test('in a stateless tenant a login is its refresh tokens', async () => {
  const { world, authorization, refresh_token } = await open();
  world.clock.advance(1000);
  await world.login();
  const logins = await list(world, authorization);
  expect(logins.map(({ kind, current }) => [kind, current])).toEqual([
    ['login', false],
    ['login', false],
  ]);
  expect((await end(world, authorization, logins[1]!.id)).status).toBe(200);
  expect((await world.refresh(refresh_token)).code).toBe('invalid_refresh_token');
  expect(await list(world, authorization)).toHaveLength(1);
  expect((await world.ask('showMe', { authorization })).status).toBe(200);
});

test.each([MANAGED, {}])("another user's login is not found, not even by an administrator (%j)", async (settings) => {
  const { world, authorization } = await open(settings);
  await world.administrator();
  const admin = await world.loggedIn('admin@example.org');
  const [own] = await list(world, authorization);
  for (const id of [own!.id, '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'x', ''])
    expect(await end(world, admin, id)).toMatchObject({ status: 404, code: 'session_not_found' });
  expect((await list(world, authorization))[0]).toMatchObject({ id: own!.id, ended_at: null });
  expect((await world.login({ login: EMAIL })).status).toBe(200);
});
