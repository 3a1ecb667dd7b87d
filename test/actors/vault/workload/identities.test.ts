import { X509Certificate } from 'node:crypto';
import { fc } from '#test/kit/property.ts';
import { beforeEach, expect, test } from 'vitest';
import { SELECTORS, matches, type Evidence, type Selectors } from '#actors/vault/workload/selectors.ts';
import { newRequest, newWorld, type World } from '../pki-world.ts';

const order = { spiffe_id: 'spiffe://hive.test/api', selectors: { uid: 7 }, node: null, ttl_ms: 3_600_000 };
const node = { id: '01JAAAAAAAAAAAAAAAAAAAAAAA', spiffeId: 'spiffe://hive.test/node/dc1/main/a' };
let world: World;
beforeEach(() => {
  world = newWorld();
});

test('registering twice makes one identity', async () => {
  const first = (await world.identities.register(order, 'operator'))!;
  expect(await world.identities.register({ ...order, selectors: { uid: 7, path: undefined } }, 'x')).toEqual({
    ...first,
    fresh: false,
  });
  expect((await world.identities.register({ ...order, selectors: { uid: 8 } }, 'operator'))!.fresh).toBe(true);
  expect(await world.identities.all()).toHaveLength(2);
});

test('a node hands out its own identities and those of all nodes', async () => {
  await world.identities.register(order, 'operator');
  await world.identities.register({ ...order, node: 'a', selectors: { uid: 1 } }, 'operator');
  await world.identities.register({ ...order, node: 'b', selectors: { uid: 2 } }, 'operator');
  expect(
    (await world.identities.ofNode({ name: 'a', scope: world.pki.scope })).map(({ selectors }) => selectors.uid),
  ).toEqual([7, 1]);
});

test('a node of another cluster hands out nothing of this one, however it is named', async () => {
  const { record } = (await world.identities.register({ ...order, node: 'a' }, 'operator'))!;
  const elsewhere = { name: 'a', scope: { datacenter: 'dc9', cluster: 'main' } };
  expect(await world.identities.ofNode(elsewhere)).toEqual([]);
  expect(world.identities.isOf(record, elsewhere)).toBe(false);
  // One that was registered before identities had a scope is of its vault's.
  const { scope: _none, ...old } = record;
  expect(world.identities.isOf(old, elsewhere)).toBe(false);
  expect(world.identities.isOf(old, { name: 'a', scope: world.pki.scope })).toBe(true);
});

test('an X.509-SVID has one URI, no CA right, and the life of its identity', async () => {
  const { record } = (await world.identities.register(order, 'operator'))!;
  const svid = (await world.identities.certify(record, newRequest(), node))!;
  const certificate = new X509Certificate(Buffer.from(svid.certificate, 'base64'));
  expect(certificate.subjectAltName).toBe('URI:spiffe://hive.test/api');
  expect(certificate.ca).toBe(false);
  expect(certificate.validToDate.getTime()).toBe(world.clock.now() + order.ttl_ms);
});

test('revoking an identity revokes what it had, and what was on its way', async () => {
  const { record } = (await world.identities.register(order, 'operator'))!;
  const early = (await world.identities.certify(record, newRequest(), node))!;
  expect(await world.identities.revoke(record.id)).toMatchObject({ revoked: 1 });
  expect((await world.book.read(early.serial))?.reason).toBe('privilegeWithdrawn');
  expect(await world.identities.certify(record, newRequest(), node)).toBeNull();
  const all = (await world.book.list(Infinity, null, 10)).records;
  expect(all.every(({ revoked_at }) => revoked_at !== undefined)).toBe(true);
  expect(await world.identities.revoke(record.id)).toBeNull();
});

const evidence: Evidence = { path: '/usr/bin/api', sha256: 'ab', uid: 7, gid: null, unit: 'api.service' };

test.each<[Selectors, boolean]>([
  [{}, false],
  [{ uid: 7 }, true],
  [{ uid: 7, path: '/usr/bin/api', sha256: 'ab', unit: 'api.service' }, true],
  [{ uid: 7, path: '/usr/bin/other' }, false],
  [{ gid: 0 }, false],
])('selectors %j hold: %s', (selectors, holds) => {
  expect(matches(selectors, evidence)).toBe(holds);
});

test('one more selector never lets more processes in', () => {
  const partial = fc.record(
    {
      path: fc.constantFrom('/usr/bin/api', '/x'),
      sha256: fc.constant('ab'),
      uid: fc.nat(9),
      gid: fc.nat(2),
      unit: fc.constant('u'),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(partial, fc.constantFrom(...SELECTORS), (selectors, name) => {
      const { [name]: _gone, ...fewer } = selectors;
      if (Object.keys(fewer).length > 0 && matches(selectors, evidence)) expect(matches(fewer, evidence)).toBe(true);
    }),
  );
});
