import { X509Certificate } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { parseScope, scopeText } from '#actors/vault/node/join-token.ts';
import { join, type JoinOrder } from '#actors/vault/node/join.ts';
import type { NodePapers } from '#actors/vault/node/node-certificate.ts';
import { listNodes } from '#actors/vault/node/node-record.ts';
import { sendAway } from '#actors/vault/node/send-away.ts';
import { newRequest, newWorld, type World } from '../pki-world.ts';

const scope = { datacenter: 'dc1', cluster: 'main' };
let world: World;
beforeEach(() => {
  world = newWorld();
});

async function orderOf(uses = 1, more: Partial<JoinOrder> = {}): Promise<JoinOrder> {
  const { token } = await world.tokens.issue(scope, limits.node.joinTokenMs, uses, 'operator');
  return { token, request: newRequest(), scope, name: 'node-a', ...more };
}
const nodes = () => listNodes(world.store, null, 100);
const usesOf = async (token: string) => (await world.tokens.read(token.split('_')[2]!))!.record.uses.length;
const evict = (id: string, state: 'evicted' | 'banned' = 'evicted') =>
  sendAway(world, id, { state, reason: 'test', by: 'operator' });

test('a node joins: a certificate for a day with its SPIFFE ID, a refresh token, one use spent', async () => {
  const order = await orderOf();
  expect(order.token).toMatch(/^hj_v1_[0-9A-Z]{26}_[A-Za-z0-9_-]{43}$/);
  const papers = (await join(world, order)) as NodePapers;
  const certificate = new X509Certificate(Buffer.from(papers.certificate.certificate, 'base64'));
  expect(certificate.subjectAltName).toBe(`URI:spiffe://hive.test/node/${papers.node.id}`);
  expect(Date.parse(papers.certificate.not_after) - world.clock.now()).toBe(limits.pki.nodeMs);
  expect(papers.refreshToken).toContain(`hr_v1_${papers.node.id}_`);
  expect(await usesOf(order.token)).toBe(1);
  const stored = [...world.store.rows.values()].map(({ value }) => value.toString()).join();
  for (const secret of [order.token, papers.refreshToken]) expect(stored).not.toContain(secret.slice(-43));
});

test('the same key again gets the same node and spends nothing, as often as replies get lost', async () => {
  const order = await orderOf();
  const first = (await join(world, order)) as NodePapers;
  const again = (await join(world, order)) as NodePapers;
  expect(again.node.id).toBe(first.node.id);
  expect(again.refreshToken).not.toBe(first.refreshToken);
  expect([await usesOf(order.token), (await nodes()).length]).toEqual([1, 1]);
});

test('a commit that another instance was faster than is tried again, and burns nothing', async () => {
  const order = await orderOf(2);
  let met = 0;
  world.store.before = async (changes) => {
    if (!changes.some(({ path }) => path.startsWith('join/')) || met++ > 0) return;
    const other = newWorld(world);
    await join(other, { ...order, request: newRequest(), name: 'node-b' });
  };
  expect(await join(world, order)).toMatchObject({ node: { name: 'node-a' } });
  expect([await usesOf(order.token), (await nodes()).length]).toEqual([2, 2]);
});

test('32 racing callers on two instances spend exactly the allowed uses', async () => {
  const order = await orderOf(5);
  const other = newWorld(world);
  const callers = Array.from({ length: 32 }, (_, i) =>
    join(i % 2 === 0 ? world : other, { ...order, request: newRequest(), name: `node-${i}` }),
  );
  const outcomes = await Promise.all(callers);
  expect(outcomes.filter((outcome) => typeof outcome !== 'string')).toHaveLength(5);
  expect(outcomes.filter((outcome) => outcome === 'spent')).toHaveLength(27);
  expect([await usesOf(order.token), (await nodes()).length]).toEqual([5, 5]);
});

test('32 callers with one key become one node', async () => {
  const order = await orderOf();
  const outcomes = (await Promise.all(Array.from({ length: 32 }, () => join(world, order)))) as NodePapers[];
  expect(new Set(outcomes.map(({ node }) => node.id)).size).toBe(1);
  expect([await usesOf(order.token), (await nodes()).length]).toEqual([1, 1]);
});

test.each<[string, (order: JoinOrder) => JoinOrder, string]>([
  ['another text', (order) => ({ ...order, token: 'hj_v1_x' }), 'invalid'],
  ['another id', (order) => ({ ...order, token: order.token.replace(/_0./, '_0Z') }), 'invalid'],
  ['another secret', (order) => ({ ...order, token: `${order.token.slice(0, -1)}_` }), 'invalid'],
  ['a refresh token', (order) => ({ ...order, token: order.token.replace('hj_', 'hr_') }), 'invalid'],
  ['another datacenter', (order) => ({ ...order, scope: { ...scope, datacenter: 'dc2' } }), 'scope'],
  ['another cluster', (order) => ({ ...order, scope: { ...scope, cluster: 'x' } }), 'scope'],
])('%s does not join', async (_name, change, flaw) => {
  const order = await orderOf();
  expect(await join(world, change(order))).toBe(flaw);
  expect([await usesOf(order.token), (await nodes()).length]).toEqual([0, 0]);
});

test('a token of another cluster admits no node', async () => {
  const elsewhere = { datacenter: 'dc9', cluster: 'main' };
  // Ordered before scopes were held against the vault's own.
  const { token } = await world.tokens.issue(elsewhere, 60_000, 1, 'operator');
  expect(await join(world, { ...(await orderOf()), token, scope: elsewhere })).toBe('scope');
  expect([await usesOf(token), (await nodes()).length]).toEqual([0, 0]);
});

test('an expired token joins no node, not even the key that had joined', async () => {
  const order = await orderOf(2);
  await join(world, order);
  world.clock.advance(limits.node.joinTokenMs);
  expect(await join(world, order)).toBe('expired');
  expect(await join(world, { ...order, request: newRequest() })).toBe('expired');
});

test('a name that is in use, an evicted node, a banned one', async () => {
  const first = (await join(world, await orderOf())) as NodePapers;
  const order = await orderOf(3);
  expect(await join(world, order)).toBe('name_taken');
  await evict(first.node.id);
  const back = (await join(world, order)) as NodePapers;
  expect([back.node.id, back.node.state]).toEqual([first.node.id, 'active']);
  await evict(first.node.id, 'banned');
  expect(await join(world, order)).toBe('banned');
  expect(await join(world, { ...order, request: newRequest() })).toBe('banned');
  expect(await usesOf(order.token)).toBe(1);
});

test('an evicted node does not come back with the token that it had spent', async () => {
  const order = await orderOf();
  const { node, certificate } = (await join(world, order)) as NodePapers;
  await evict(node.id);
  expect(await join(world, order)).toBe('spent');
  expect((await world.book.read(certificate.serial))?.revoked_at).toBeDefined();
});

test('sending away again changes nothing but revokes what an interrupted call left', async () => {
  const { node, certificate } = (await join(world, await orderOf())) as NodePapers;
  const revoke = world.book.revokeAll.bind(world.book);
  world.book.revokeAll = () => Promise.reject(new Error('cut'));
  await expect(evict(node.id)).rejects.toThrow('cut');
  world.book.revokeAll = revoke;
  expect((await world.book.read(certificate.serial))?.revoked_at).toBeUndefined();
  expect(await evict(node.id)).toMatchObject({ state: 'evicted' });
  expect((await world.book.read(certificate.serial))?.revoked_at).toBeDefined();
  expect(await evict('01JAAAAAAAAAAAAAAAAAAAAAAA')).toBeNull();
});

test('scopes are written as the contract writes them', () => {
  expect(parseScope('dc=dc1,cluster=main')).toEqual(scope);
  expect(scopeText(scope)).toBe('dc=dc1,cluster=main');
  for (const text of ['', 'dc=dc1', 'cluster=a,dc=b', 'dc=,cluster=a', 'dc=A,cluster=b', 'dc=a,cluster=b,x=c'])
    expect(parseScope(text)).toBeNull();
});

test('evicting a node revokes what workloads got through it, many in one commit, and no other certificates', async () => {
  const [here, there] = [
    (await join(world, await orderOf())) as NodePapers,
    (await join(world, await orderOf(1, { name: 'node-b' }))) as NodePapers,
  ];
  const order = { spiffe_id: 'spiffe://hive.test/api', selectors: { uid: 7 }, node: null, ttl_ms: 3_600_000 };
  const { record } = (await world.identities.register(order, 'operator'))!;
  const by = ({ node }: NodePapers) => ({ id: node.id, spiffeId: `spiffe://hive.test/node/${node.id}` });
  const mine: string[] = [];
  for (let i = 0; i < limits.pki.revokeBatchMax; i++)
    mine.push((await world.identities.certify(record, newRequest(), by(here)))!.serial);
  const other = (await world.identities.certify(record, newRequest(), by(there)))!;
  const before = world.store.commits;
  await evict(here.node.id);
  expect(world.store.commits - before).toBe(1 + 2); // its state; the workloads' certificates and its own, a batch and one more
  for (const serial of [...mine, here.certificate.serial])
    expect((await world.book.read(serial))?.reason).toBe('cessationOfOperation');
  expect((await world.book.read(other.serial))?.revoked_at).toBeUndefined();
  expect((await world.lists.current()).number).toBeGreaterThan(0);
});
