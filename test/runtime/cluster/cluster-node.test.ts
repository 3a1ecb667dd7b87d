/** A process among the nodes on its log: which node waits for which, what ends it, and what an operator is told. */
import { expect, onTestFinished, test } from 'vitest';
import { MemoryNodes } from '#test/storage/log-engine/memory-nodes.ts';
import type { Sight } from '#storage/log-engine/nodes-port.ts';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import type { DegradedReport } from '#actors/protocol/degraded.ts';
import { ClusterNode } from '#runtime/cluster/cluster-node.ts';
import { createLeaseCell, readLease } from '#runtime/cluster/lease-cell.ts';

const SHORT_MS = 400;
const LONG_MS = 60_000;

function logOfNodes() {
  const log = new MemoryLog({ shards: 1, random: () => 0 });
  const warned: string[] = [];
  const quiet = { info: () => undefined, error: () => undefined, warn: (_: object, text: string) => warned.push(text) };
  const node = (name: string, leaseMs: number, place = name): ClusterNode => {
    const life = { id: `life of ${name} ${Math.random()}`, node: name, place, leaseMs };
    return new ClusterNode({ nodes: new MemoryNodes(log), life, cell: createLeaseCell(), log: quiet });
  };
  return { log, node, nodes: new MemoryNodes(log) };
}

async function sightOf(nodes: MemoryNodes): Promise<Sight> {
  const id = `a look ${Math.random()}`;
  await nodes.register({ id, node: 'a look', place: id, leaseMs: SHORT_MS });
  return (await nodes.beat(id, 1))!;
}

const never = (error: Error): never => {
  throw error;
};

test('the first node serves and holds its lease; a command does not wait for it, and a standby follows when it leaves', async () => {
  const { node } = logOfNodes();
  const first = node('n1', 5000);
  await first.serve(null);
  first.keep(never);
  const holds = readLease(first.cell);
  expect(holds()).toBe(true);
  await expect(node('command', LONG_MS).serve(null)).rejects.toThrow('node n1 serves the log');
  const second = node('n2', LONG_MS);
  const waited: string[] = [];
  const serves = second.serve((serving) => Promise.resolve(void waited.push(serving)));
  await expect.poll(() => waited).toEqual(['n1']);
  await first.leave();
  expect(holds()).toBe(false);
  await serves;
  expect([first.cause, second.cause]).toEqual(['given up', 'given up']);
  expect(readLease(second.cell)()).toBe(true);
  await second.leave();
});

/** A node that serves, and another life that the place is promised to; and the first one's next life, which is the first to find it free. */
async function promised() {
  const { node, nodes } = logOfNodes();
  const first = node('n1', 5000, 'one directory');
  await first.serve(null);
  const heir = { id: 'the heir', node: 'n2', place: 'another directory', leaseMs: SHORT_MS };
  await nodes.register(heir);
  const { serving } = (await nodes.beat(heir.id, 1))!;
  expect(await nodes.handOver(serving!, heir.id)).toBe(true);
  await first.leave();
  const again = node('n1', SHORT_MS, 'one directory');
  onTestFinished(() => again.leave());
  const waited: string[] = [];
  const serves = again.serve((name) => Promise.resolve(void waited.push(name)));
  // It is left while it waits, in the test that does not await it.
  serves.catch(() => undefined);
  return { heir, nodes, serves, waited };
}

test('a place that was given up for another node waits for that one, and not for who is there first', async () => {
  const { heir, nodes, waited } = await promised();
  expect((await nodes.beat(heir.id, 2))!.serving).toBeNull();
  expect(await nodes.serve(heir.id, null)).toBe(true);
  await expect.poll(() => waited).toEqual(['n2']);
});

test('one for which it waits in vain is gone after its lease', async () => {
  const { serves, waited } = await promised();
  await serves;
  expect(waited).toEqual([]);
});

test('the place of one that is silent for its lease is taken for that, and of one that was ended for that', async () => {
  const { node, nodes } = logOfNodes();
  const serving = { id: 'one that dies', node: 'n1', place: 'n1', leaseMs: SHORT_MS };
  await nodes.register(serving);
  expect(await nodes.serve(serving.id, null)).toBe(true);
  const second = node('n2', SHORT_MS);
  await second.serve(() => Promise.resolve());
  expect(second.cause).toBe('silent');
  const third = node('n3', LONG_MS);
  const serves = third.serve(() => Promise.resolve());
  const life = (await sightOf(nodes)).nodes.find((one) => one.node === 'n2')!;
  expect(await nodes.condemn(life.id, life.beat)).toBe(true);
  await serves;
  expect(third.cause).toBe('ended');
  await third.leave();
});

test('the place is given up when the heir has had time to see the word, and not to one that looks no more', async () => {
  const { node, nodes } = logOfNodes();
  const first = node('n1', 1000);
  onTestFinished(() => first.leave());
  await first.serve(null);
  const told: string[] = [];
  first.whenToldToHandOver((name) => told.push(name));
  first.keep(never);
  const heir = { id: 'the heir', node: 'n2', place: 'another directory', leaseMs: LONG_MS };
  await nodes.register(heir);
  const { serving } = (await nodes.beat(heir.id, 1))!;
  expect(await nodes.handOver(serving!, heir.id)).toBe(true);
  const beatsOf = async (): Promise<number> =>
    (await nodes.beat('another', 1))?.nodes.find(({ id }) => id === serving)?.beat ?? 0;
  await nodes.register({ ...heir, id: 'another', node: 'n3' });
  const seen = await beatsOf();
  await expect.poll(beatsOf).toBeGreaterThan(seen + 5);
  expect(told).toEqual([]);
  await nodes.beat(heir.id, 2);
  await nodes.beat(heir.id, 3);
  await expect.poll(() => told).toEqual(['n2']);
});

test('of two nodes to which the place was promised one takes it: the word to a node that ended before it heard it stands on', async () => {
  const { node, nodes } = logOfNodes();
  const [one, other] = [node('n2', LONG_MS), node('n3', LONG_MS)];
  const serving = { id: 'one that dies', node: 'n1', place: 'n1', leaseMs: LONG_MS };
  await nodes.register(serving);
  expect(await nodes.serve(serving.id, null)).toBe(true);
  const waited: string[] = [];
  const [first, second] = [one, other].map((each) => each.serve((name) => Promise.resolve(void waited.push(name))));
  await expect.poll(() => waited).toEqual(['n1', 'n1']);
  const waiting = (await nodes.beat(serving.id, 1))!.nodes.filter(({ node: name }) => name !== 'n1');
  // Told twice, as by two commands of which the first one's node died: each of the two that wait is meant by one.
  const dead = { ...serving, id: 'one that died before' };
  await nodes.register(dead);
  expect(await nodes.handOver(dead.id, waiting[0]!.id)).toBe(true);
  await nodes.leave(dead.id);
  expect(await nodes.handOver(serving.id, waiting[1]!.id)).toBe(true);
  await nodes.leave(serving.id);
  await Promise.race([first, second]);
  await one.leave();
  await other.leave();
  await Promise.allSettled([first, second]);
});

test('a command waits for the lease of a node that is gone', async () => {
  const { node } = logOfNodes();
  await node('n1', SHORT_MS).serve(null);
  const command = node('command', SHORT_MS);
  await command.serve(null);
  expect(readLease(command.cell)()).toBe(true);
  await command.leave();
});

test('a process in the place of one that is gone does not wait, and the one before is over', async () => {
  const { node } = logOfNodes();
  const first = node('n1', SHORT_MS, 'one directory');
  await first.serve(null);
  const over = new Promise<Error>((resolve) => first.keep(((error: Error) => resolve(error)) as typeof never));
  const again = node('n1', LONG_MS, 'one directory');
  await again.serve(null);
  expect((await over).message).toContain('another node has taken the place of n1');
  expect(readLease(first.cell)()).toBe(false);
  await again.leave();
});

test('a node without an acknowledged beat is listed, and no more once the database answers', async () => {
  const { log, node } = logOfNodes();
  const told: (DegradedReport | 'clear')[] = [];
  const one = node('n1', SHORT_MS);
  onTestFinished(() => one.leave());
  await one.serve(null);
  one.keep(never);
  one.report({ report: (entry) => told.push(entry), clear: () => told.push('clear') });
  log.isStandbyAway = true;
  await expect.poll(() => told.some((entry) => entry !== 'clear'), { timeout: 10_000 }).toBe(true);
  expect(told.at(-1)).toMatchObject({ scope: 'journal', name: 'lease' });
  log.isStandbyAway = false;
  log.wake();
  await expect.poll(() => told.at(-1), { timeout: 10_000 }).toBe('clear');
});

test('counts the others that follow the log and beat, while they do', async () => {
  const { node, nodes } = logOfNodes();
  const first = node('n1', 1000);
  onTestFinished(() => first.leave());
  await first.serve(null);
  first.keep(never);
  const standbys = (): number => first.families().find(({ name }) => name === 'skep_standbys')!.samples[0]!.value;
  const other = { id: 'one that waits', node: 'n2', place: 'another directory', leaseMs: 1000 };
  await nodes.register(other);
  let beat = 0;
  let follows: { behind: number; ageMs: number } | null = null;
  const beats = setInterval(() => void nodes.beat(other.id, ++beat, follows), 50);
  onTestFinished(() => clearInterval(beats));
  await expect.poll(() => beat).toBeGreaterThan(3);
  expect(standbys()).toBe(0);
  follows = { behind: 2, ageMs: 10 };
  await expect.poll(standbys).toBe(1);
  clearInterval(beats);
  await expect.poll(standbys, { timeout: 10_000 }).toBe(0);
});
