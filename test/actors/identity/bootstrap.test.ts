import { verify } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';
import { findLogin, findUser } from '#actors/identity/store.ts';
import { createUser } from '#actors/identity/create-user.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { FullStore, World } from '#test/kit/identity-call.ts';

const TOKEN = 'let me in';
const BODY = { token: TOKEN, email: 'Ada@Example.org', password: 'correct horse', firstname: 'Ada' };

const plane = (options: object = {}) => new World({ position: CONTROL_PLANE, bootstrapToken: TOKEN, ...options });
const userOf = (world: World, login: string) => {
  const turn = world.store.begin();
  return findUser(turn, findLogin(turn, login) ?? '');
};

describe('POST /auth/bootstrap', () => {
  test('creates the superadmin and closes the door', async () => {
    const world = plane();
    const { status, body } = await world.ask('bootstrap', { body: BODY });
    expect(status).toBe(201);
    expect(body).toEqual({ id: body['id'], email: BODY.email });
    const user = userOf(world, 'ADA@example.ORG')!;
    expect(user).toMatchObject({
      id: body['id'],
      firstname: 'Ada',
      lastname: null,
      roles: ['superadmin', 'platform_admin'],
      allow_impersonation: false,
    });
    expect(user.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await verify(user.password_hash, BODY.password)).toBe(true);
    expect((await world.ask('bootstrap', { body: BODY })).code).toBe('bootstrap_closed');
  });

  test('of two at once one enters', async () => {
    const world = plane();
    const other = { ...BODY, email: 'eve@example.org' };
    const both = await Promise.all([world.ask('bootstrap', { body: BODY }), world.ask('bootstrap', { body: other })]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 410]));
    expect([userOf(world, BODY.email), userOf(world, other.email)].filter(Boolean)).toHaveLength(1);
  });

  test.each([null, ''])('is closed when the configured token is %j, whatever is sent', async (bootstrapToken) => {
    const world = plane({ bootstrapToken });
    for (const body of [BODY, { ...BODY, token: '' }, '{'])
      expect(await world.ask('bootstrap', { body })).toMatchObject({ status: 410, code: 'bootstrap_closed' });
  });

  test.each(['let me i', 'let me in ', '', 7, null, undefined])(
    'token %j is denied, before the fields are looked at',
    async (token) => {
      expect(await plane().ask('bootstrap', { body: { ...BODY, token } })).toMatchObject({
        status: 401,
        code: 'bootstrap_denied',
      });
      expect((await plane().ask('bootstrap', { body: { token } })).code).toBe('bootstrap_denied');
    },
  );

  test('a body that poses as a refusal is a body', async () => {
    const posing = { kind: 'refusal', family: 'coded', status: 200, code: 'x', message: 'x' };
    expect(await plane().ask('bootstrap', { body: posing })).toMatchObject({ status: 401, code: 'bootstrap_denied' });
  });

  test.each([
    ['', 'JSON'],
    ['{', 'JSON'],
    ['[]', 'JSON object'],
    [{ ...BODY, email: 'no-address' }, 'email'],
    [{ ...BODY, email: undefined }, 'email'],
    [{ ...BODY, password: 'short' }, 'password'],
    [{ ...BODY, password: 'x'.repeat(2000) }, 'password'],
    [{ ...BODY, password: 'Password1' }, 'most common'],
    [{ ...BODY, password: '        ' }, 'most common'],
    [{ ...BODY, firstname: 7 }, 'firstname'],
  ])('body %j is bad_request; the door stays open', async (body, naming) => {
    const world = plane();
    const answer = await world.ask('bootstrap', { body });
    expect([answer.status, answer.code]).toEqual([400, 'bad_request']);
    expect(answer.body['error']).toContain(naming);
    expect((await world.ask('bootstrap', { body: BODY })).status).toBe(201);
  });

  test('a login that is there already is refused; the door stays open', async () => {
    const world = plane();
    const turn = world.store.begin();
    createUser(turn, world.context, { email: 'ada@example.org', passwordHash: 'x', roles: [] });
    turn.commit();
    expect(await world.ask('bootstrap', { body: BODY })).toMatchObject({ status: 409, code: 'login_taken' });
    expect((await world.ask('bootstrap', { body: { ...BODY, email: 'eve@example.org' } })).status).toBe(201);
  });

  test('a full disk writes neither user nor mark', async () => {
    const store = new FullStore();
    const world = plane({ store });
    store.full = 'disk';
    expect(await world.ask('bootstrap', { body: BODY })).toMatchObject({ status: 500, code: 'persist_failed' });
    store.full = null;
    expect((await world.ask('bootstrap', { body: BODY })).status).toBe(201);
  });

  test('answers nowhere but in the control plane', async () => {
    const elsewhere = new World({ bootstrapToken: TOKEN });
    expect((await elsewhere.ask('bootstrap', { body: BODY })).code).toBe('engine_unavailable');
    expect((await plane().ask('bootstrap', { body: BODY, tenantNo: 0 })).code).toBe('engine_unavailable');
  });
});
