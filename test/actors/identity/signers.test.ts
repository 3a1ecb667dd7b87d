/** Who a signer of URLs is by now: present roles, ended sessions, revoked keys. */
import { beforeEach, describe, expect, test } from 'vitest';
import { SIGNERS, type Signers } from '#actors/host/signed-url/signers.ts';
import { Work } from '#actors/host/work.ts';
import { deleteKey, findUser, putUser } from '#actors/identity/store.ts';
import { apiKeyOf, parseApiKey } from '#actors/kit/api-key.ts';
import { ANONYMOUS, type Principal } from '#actors/protocol/principal.ts';
import { UserWorld } from '#test/kit/users.ts';

let world: UserWorld;
let signers: Signers;
beforeEach(async () => {
  world = new UserWorld({ settings: { sessions: { mode: 'managed' } } });
  await world.woken;
  signers = SIGNERS.of(world.activation);
});

const nameOf = (principal: Principal): string | null => signers.nameOf(new Work(world.activation), principal);
const find = (name: string): Principal | null => signers.find(new Work(world.activation), name);
const tenant = (): string => world.activation.position.key;

/** A login: the principal that its token stands for. */
async function login(): Promise<Principal> {
  const { body } = await world.login();
  const claims = JSON.parse(
    Buffer.from((body['access_token'] as string).split('.')[2]!, 'base64url')
      .subarray(0, -64)
      .toString(),
  ) as { sub: string; sid: string };
  return { ...ANONYMOUS, type: 'user', subject: claims.sub, sid: claims.sid, tenant: tenant(), roles: ['tenant_user'] };
}

describe('a user', () => {
  test('is found with the roles that it has now, and not at all once it is gone', async () => {
    const id = await world.addUser();
    const name = nameOf(await login())!;
    expect(find(name)).toMatchObject({
      type: 'user',
      subject: id,
      tenant: tenant(),
      roles: ['tenant_user'],
      superadmin: false,
    });
    const turn = world.store.begin();
    putUser(turn, { ...findUser(turn, id)!, roles: ['superadmin'] });
    turn.commit();
    expect(find(name)).toMatchObject({ roles: ['superadmin'], superadmin: true });
    const later = world.store.begin();
    putUser(later, { ...findUser(later, id)!, disabled_at: '2026-01-01T00:00:00.000Z' });
    later.commit();
    expect(find(name)).toBe(null);
  });

  test('ends with the session that it signed under, also after a rotation of its id', async () => {
    await world.addUser();
    const principal = await login();
    const name = nameOf(principal)!;
    expect(find(name)?.sid).toBe(principal.sid);
    const rotated = await world.ask('rotateSession', {
      authorization: bearerOf(principal),
      body: { id: principal.sid },
    });
    expect(rotated.status).toBe(200);
    expect(find(name)?.sid).not.toBe(principal.sid);
    const now = find(name)!;
    expect((await world.ask('revokeSession', { authorization: bearerOf(now), body: { id: now.sid } })).status).toBe(
      200,
    );
    expect([find(name), nameOf(now)]).toEqual([null, null]);
  });

  test('ends with the time of its session, which being looked up does not lengthen', async () => {
    await world.addUser();
    const name = nameOf(await login())!;
    const until = find(name)!.expiresAtMs;
    world.clock.advance(until - world.clock.now() - 1);
    expect(find(name)).not.toBe(null);
    world.clock.advance(1);
    expect(find(name)).toBe(null);
  });

  test('without a session does not count in a tenant that has sessions, nor with the session of another', async () => {
    const id = await world.addUser();
    expect(find(`user.${id}`)).toBe(null);
    const other = await world.addUser('bob@example.org');
    const [, , origin] = nameOf(await login())!.split('.');
    expect(find(`user.${other}.${origin}`)).toBe(null);
  });

  test('without sessions in the tenant is found by its id', async () => {
    world = new UserWorld();
    signers = SIGNERS.of(world.activation);
    const id = await world.addUser();
    const name = nameOf({ ...ANONYMOUS, type: 'user', subject: id, tenant: tenant() })!;
    expect(find(name)).toMatchObject({ subject: id, sid: null });
    expect(find('user.01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(null);
  });

  const bearerOf = ({ subject: sub, sid, roles }: Principal): string => world.bearer(roles, { sub, sid });
});

describe('a service key', () => {
  const idOf = (header: string): string => parseApiKey(apiKeyOf(header)!)!.id;

  test('is found with its present grants, until it is revoked or has no grant here', () => {
    const id = idOf(world.key({ scope: ['acme:dev:atlas:main'] }));
    const name = nameOf({ ...ANONYMOUS, type: 'service', subject: `apikey:${id}`, tenant: tenant() })!;
    expect(find(name)).toMatchObject({
      type: 'service',
      subject: `apikey:${id}`,
      tenant: tenant(),
      scope: ['acme:dev:atlas:main'],
    });
    const turn = world.store.begin();
    deleteKey(turn, id);
    turn.commit();
    expect(find(name)).toBe(null);
  });

  test('of grants elsewhere only, or of none, signs nothing', () => {
    for (const capabilities of [{ scope: ['acme:dev:other:main'] }, { roles: ['tenant_user'] }])
      expect(find(`key.${idOf(world.key(capabilities))}`)).toBe(null);
  });
});

test('callers of another tenant, and those that are no user and no service key, have no name', () => {
  const of = (more: Partial<Principal>) => nameOf({ ...ANONYMOUS, tenant: tenant(), ...more });
  expect(of({ type: 'service', subject: 'apikey:K', tenant: 'acme:ops:prod:main' })).toBe(null);
  expect(of({ type: 'service', subject: 'K' })).toBe(null);
  expect(of({ type: 'static', subject: 'static' })).toBe(null);
  expect(of({})).toBe(null);
  expect(of({ type: 'user', subject: 'a&b=c' })).toBe(null);
  expect([find(''), find('user'), find('key'), find('other.x')]).toEqual([null, null, null, null]);
});
