/** What was found in older routes of identity, tried at each route of accounts: inactive tenants, full disks, read-only tenants, odd bodies. */
import { describe, expect, test } from 'vitest';
import { routes } from '#actors/identity/routes.ts';
import { limits } from '#config/limits.ts';
import { INACTIVE_TENANT, MALFORMED_POSITION, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { FullStore } from '#test/kit/identity-call.ts';
import { EMAIL, PASSWORD } from '#test/kit/users.ts';
import { accountWorld, GRACE, NEW_PASSWORD } from './kit.ts';

const ANONYMOUS = [
  ['signUp', { email: GRACE }],
  ['confirmAccount', { token: 'x', password: NEW_PASSWORD }],
  ['confirmEmail', { token: 'x' }],
] as const;
const OWN = [
  ['changeMe', { firstname: 'Ada' }],
  ['changePassword', { current: PASSWORD, password: NEW_PASSWORD }],
  ['changeEmail', { email: GRACE, password: PASSWORD }],
  ['deleteMe', { password: PASSWORD }],
] as const;

describe.each(ANONYMOUS)('%s', (name, body) => {
  test.each([
    [NO_POSITION, 400, 'no_tenant'],
    [MALFORMED_POSITION, 400, 'invalid tenant'],
    [UNKNOWN_POSITION, 400, 'invalid tenant'],
    [INACTIVE_TENANT, 403, 'tenant_inactive'],
  ])('at %i is %i %s, and no fault of the server', async (tenantNo, status, code) => {
    const { status: is, code: told } = await accountWorld().ask(name, { body, tenantNo });
    expect([is, told]).toEqual([status, code === 'invalid tenant' ? told : code]);
  });

  test('takes a small body of its own shape, and has a profile', async () => {
    const world = accountWorld();
    for (const odd of [
      '',
      'x',
      '[]',
      'null',
      '{"email":{"$gt":""}}',
      '{"__proto__":{"email":"a@example.org"}}',
      '{"token":["x"]}',
    ])
      expect(await world.ask(name, { body: odd })).toMatchObject({ status: 400, code: 'bad_request' });
    expect(routes[name].bodyBytesMax).toBe(limits.identity.authBodyBytesMax);
    expect(Object.keys(limits.rates)).toContain(routes[name].rate);
  });
});

test.each(OWN)('%s at a full disk keeps nothing and says so', async (name, body) => {
  const store = new FullStore();
  const world = accountWorld({}, {}, { store });
  const id = await world.addUser();
  const authorization = await world.loggedIn(EMAIL);
  const [before, rows] = [world.user(id), world.rows()];
  store.full = 'disk';
  expect(await world.ask(name, { authorization, body })).toMatchObject({ status: 500, code: 'persist_failed' });
  store.full = null;
  expect(world.user(id)).toEqual(before);
  expect(world.rows()).toBe(rows);
  expect((await world.login()).status).toBe(200);
});

test.each(OWN)('%s is nothing for a user who is gone meanwhile', async (name, body) => {
  const world = accountWorld({}, { sessions: { mode: 'managed' } });
  await world.addUser();
  const [one, other] = [await world.loggedIn(EMAIL), await world.loggedIn(EMAIL)];
  const removal = world.ask('deleteMe', { authorization: one, body: { password: PASSWORD } });
  const late = await world.ask(name, { authorization: other, body });
  expect([200, 202, 401]).toContain(late.status);
  if ((await removal).status !== 200) {
    // A new password or the other removal came first: the old one, which this removal has shown, proves nothing any more.
    expect([late.status, (await removal).code]).toEqual([200, 'invalid_credentials']);
    expect(['changePassword', 'deleteMe']).toContain(name);
    expect(world.users()).toHaveLength(name === 'deleteMe' ? 0 : 1);
    return;
  }
  expect(world.users()).toEqual([]);
  expect((await world.ask('showMe', { authorization: other })).code).toBe('invalid_token');
});

test('a session that was opened under the old password is not kept by a change that runs beside its end', async () => {
  const world = accountWorld({}, { sessions: { mode: 'managed' } });
  await world.addUser();
  const [one, other] = [await world.loggedIn(EMAIL), await world.loggedIn(EMAIL)];
  const change = (authorization: string, password: string) =>
    world.ask('changePassword', { authorization, body: { current: PASSWORD, password } });
  const answers = await Promise.all([change(one, 'the first of two'), change(other, 'the second of two')]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  const alive = await Promise.all([one, other].map((authorization) => world.ask('showMe', { authorization })));
  expect(alive.filter(({ status }) => status === 200)).toHaveLength(1);
});
