/** Nodes that run hosts for the one that serves: what the log is told, in which order, and what a node that comes to serve waits for. */
import { expect, onTestFinished, test } from 'vitest';
import { MemoryNodes } from '#test/storage/log-engine/memory-nodes.ts';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import type { Incarnation, NodeSight } from '#storage/log-engine/nodes-port.ts';
import { OwnCarrying } from '#runtime/cluster/carrying.ts';
import { ClusterNode } from '#runtime/cluster/cluster-node.ts';
import { createLeaseCell, readLease } from '#runtime/cluster/lease-cell.ts';

const SHORT_MS = 400;
const LONG_MS = 60_000;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

function lifeOf(node: string, leaseMs = LONG_MS, place = `place of ${node}`): Incarnation {
  return { id: `life of ${node} ${Math.random()}`, node, place, leaseMs, link: '10.0.0.1:7400' };
}

/** A follower that writes down what it is told. */
function follower() {
  const told: string[] = [];
  return {
    told,
    letGo: (shards: readonly number[]) => Promise.resolve(void told.push(`lets go ${shards.join()}`)),
    takeUp: (shards: readonly number[]) => void told.push(`takes up ${shards.join()}`),
  };
}

/** A log with a life that serves, which is no process. */
async function served(leaseMs = LONG_MS) {
  const log = new MemoryLog({ shards: 1, random: () => 0 });
  const [nodes, serving] = [new MemoryNodes(log), lifeOf('serving', leaseMs)];
  await nodes.register(serving);
  expect(await nodes.serve(serving.id, null)).toBe(true);
  const sight = (id: string): NodeSight | undefined => log.primary.table.nodes.get(id);
  return { log, nodes, serving, sight };
}

/** As `served`, with a life that waits, and what lets it carry. */
async function waiting() {
  const world = await served();
  const { log, nodes } = world;
  const [mine, followed] = [lifeOf('waiting'), follower()];
  await nodes.register(mine);
  const carrying = new OwnCarrying({ nodes: new MemoryNodes(log), id: mine.id, follower: followed, pause });
  const overs: string[] = [];
  carrying.onOver((why) => overs.push(why));
  const carries = (): string | null => world.sight(mine.id)!.carries;
  let beat = 0;
  const looks = async (): Promise<void> => carrying.saw(await nodes.beat(mine.id, ++beat));
  return { ...world, mine, carrying, overs, carries, looks, told: followed.told };
}

test('the log knows before a node carries, and is told behind the last of its hosts alone', async () => {
  const { log, serving, carrying, carries, told } = await waiting();
  expect(carrying.isIdle).toBe(true);
  log.isStandbyAway = true;
  const begun = carrying.begin(serving.id, [1, 5]);
  await log.settled();
  expect([carries(), told, carrying.isIdle]).toEqual([null, [], false]);
  log.isStandbyAway = false;
  log.wake();
  expect(await begun).toBe(true);
  expect([carries(), told]).toEqual([serving.id, ['lets go 1,5']]);
  expect(await carrying.begin(serving.id, [3])).toBe(true);
  await carrying.end([1, 5]);
  expect([carries(), carrying.isIdle]).toEqual([serving.id, false]);
  await carrying.end([3]);
  expect([carries(), carrying.isIdle]).toEqual([null, true]);
  expect(told).toEqual(['lets go 1,5', 'lets go 3', 'takes up 1,5', 'takes up 3']);
});

test('nothing is carried for a life that does not serve, or of which hosts are to go, or by one that is over', async () => {
  const { nodes, serving, mine, carrying, carries, looks, overs, told } = await waiting();
  expect(await carrying.begin('another life', [1])).toBe(false);
  expect([carries(), told, carrying.isIdle]).toEqual([null, [], true]);
  expect(await carrying.begin(serving.id, [1])).toBe(true);
  expect(await carrying.begin('another life', [2])).toBe(false);
  await looks();
  expect(overs).toEqual([]);
  await nodes.condemn(serving.id, 0);
  await looks();
  await looks();
  expect(overs).toEqual(['the node for which it ran hosts serves the log no more']);
  expect(await carrying.begin(serving.id, [2])).toBe(false);
  const next = lifeOf('next');
  await nodes.register(next);
  expect(await nodes.serve(next.id, serving.id, 1)).toBe(true);
  expect(await carrying.begin(next.id, [1])).toBe(false);
  await carrying.end([1]);
  expect(carries()).toBeNull();
  expect(await carrying.begin(next.id, [1])).toBe(true);
  await nodes.leave(mine.id);
  await looks();
  expect(overs.at(-1)).toBe('this life of the node was ended by another node');
  await carrying.end([1]);
  expect(await carrying.begin(next.id, [1])).toBe(false);
});

test('a life that ends while a node begins to carry for it is carried for no more', async () => {
  const world = await served();
  const { log, nodes, serving, sight } = world;
  const mine = lifeOf('waiting');
  await nodes.register(mine);
  const letsGo = Promise.withResolvers<undefined>();
  const slow = { ...follower(), letGo: () => letsGo.promise };
  const carrying = new OwnCarrying({ nodes: new MemoryNodes(log), id: mine.id, follower: slow, pause });
  const begun = carrying.begin(serving.id, [1]);
  await expect.poll(() => sight(mine.id)!.carries).toBe(serving.id);
  await nodes.leave(serving.id);
  carrying.saw(await nodes.beat(mine.id, 1));
  letsGo.resolve(undefined);
  expect(await begun).toBe(false);
  expect([sight(mine.id)!.carries, slow.told, carrying.isIdle]).toEqual([null, ['takes up 1'], true]);
});

test('a word that was refused and comes late is taken back', async () => {
  const { nodes, mine, serving, carrying, carries, looks } = await waiting();
  expect(await carrying.begin('another life', [1])).toBe(false);
  // As if it had been on its way to a server until now.
  expect(await nodes.carry(mine.id, serving.id, 1)).toBe(true);
  await looks();
  // That look is of before.
  await looks();
  await expect.poll(carries).toBeNull();
  await expect.poll(() => carrying.isIdle).toBe(true);
});

/** A process over the log of `served`. */
function processOf(log: MemoryLog, life: Incarnation) {
  const told: string[] = [];
  const quiet = { info: (_: object, text: string) => told.push(text), error: () => undefined, warn: () => undefined };
  const node = new ClusterNode({ nodes: new MemoryNodes(log), life, cell: createLeaseCell(), log: quiet });
  let serves = false;
  onTestFinished(() => node.leave());
  const begin = (): Promise<void> => node.serve(() => Promise.resolve()).then(() => void (serves = true));
  return { node, begin, told, hasBegun: () => serves };
}

const never = (error: Error): never => {
  throw error;
};

test('a node that has the place claims nothing while another one runs hosts for the life before', async () => {
  const { log, nodes, serving } = await served();
  const carrier = lifeOf('carrier');
  await nodes.register(carrier);
  expect(await nodes.carry(carrier.id, serving.id, 1)).toBe(true);
  const next = processOf(log, lifeOf('next'));
  const begun = next.begin();
  await expect.poll(() => log.primary.table.nodes.size).toBe(3);
  await nodes.leave(serving.id);
  await expect.poll(() => log.primary.table.serving).toBe(next.node.life.id);
  await expect.poll(() => next.told).toHaveLength(1);
  const seen = log.primary.table.nodes.get(next.node.life.id)!.beat;
  await expect.poll(() => log.primary.table.nodes.get(next.node.life.id)!.beat).toBeGreaterThan(seen + 3);
  expect([next.hasBegun(), next.told]).toEqual([false, [expect.stringContaining('waits until the hosts are gone')]]);
  expect(await nodes.carry(carrier.id, null, 2)).toBe(true);
  await begun;
});

test('it condemns a carrier that is silent for its lease, and at once one of its own place', async () => {
  const { log, nodes, serving } = await served();
  const [silent, own] = [lifeOf('silent', SHORT_MS), lifeOf('next', LONG_MS, 'one directory')];
  for (const life of [silent, own]) {
    await nodes.register(life);
    expect(await nodes.carry(life.id, serving.id, 1)).toBe(true);
  }
  await nodes.leave(serving.id);
  const next = processOf(log, lifeOf('next', SHORT_MS, 'one directory'));
  await next.begin();
  const { nodes: lives } = log.primary.table;
  expect([silent, own].map(({ id }) => lives.get(id)!.isFenced)).toEqual([true, true]);
});

test('a process that is back ends the life before it that carried, so that its hosts may open elsewhere', async () => {
  const { log, nodes, serving, sight } = await served();
  const before = lifeOf('n2', LONG_MS, 'one directory');
  const other = lifeOf('n3');
  for (const life of [before, other]) {
    await nodes.register(life);
    expect(await nodes.carry(life.id, serving.id, 1)).toBe(true);
  }
  void processOf(log, lifeOf('n2', LONG_MS, 'one directory'))
    .begin()
    .catch(() => undefined);
  await expect.poll(() => sight(before.id)!.isFenced).toBe(true);
  expect(sight(other.id)!.isFenced).toBe(false);
});

test('a node that stands by answers by its lease and by rounds while it carries, and takes the place behind the end of its own hosts', async () => {
  const { log, nodes, serving } = await served();
  const mine = processOf(log, lifeOf('waiting'));
  const followed = follower();
  const carrying = mine.node.carrying(followed);
  const overs: string[] = [];
  carrying.onOver((why) => overs.push(why));
  const begun = mine.begin();
  await expect.poll(() => readLease(mine.node.cell)()).toBe(true);
  expect(await mine.node.confirm()).toBe(false);
  expect(await carrying.begin(serving.id, [0])).toBe(true);
  expect(await mine.node.confirm()).toBe(true);
  await carrying.end([0]);
  expect(await mine.node.confirm()).toBe(false);
  expect(await carrying.begin(serving.id, [0])).toBe(true);
  await nodes.leave(serving.id);
  await expect.poll(() => overs, { timeout: 5000 }).toHaveLength(1);
  await expect.poll(() => mine.told).toHaveLength(1);
  expect([log.primary.table.serving, mine.hasBegun()]).toEqual([mine.node.life.id, false]);
  await carrying.end([0]);
  await begun;
  expect(followed.told).toEqual(['lets go 0', 'takes up 0', 'lets go 0', 'takes up 0']);
});

test('a carrier is released when its row says so, when it is fenced, and when it is silent for its lease', async () => {
  const log = new MemoryLog({ shards: 1, random: () => 0 });
  const nodes = new MemoryNodes(log);
  const serving = processOf(log, lifeOf('serving', 1000));
  await serving.begin();
  serving.node.keep(never);
  const { id } = serving.node.life;
  const [clears, left, silent] = [lifeOf('clears'), lifeOf('leaves'), lifeOf('silent', SHORT_MS)];
  const released: string[] = [];
  const waits = [clears, left, silent].map(async (life) => {
    await nodes.register(life);
    expect(await nodes.carry(life.id, id, 1)).toBe(true);
    await serving.node.carriers.released(life.id);
    released.push(life.node);
  });
  await expect.poll(() => released).toEqual(['silent']);
  expect(log.primary.table.nodes.get(silent.id)!.isFenced).toBe(true);
  await nodes.carry(clears.id, null, 2);
  await expect.poll(() => released).toEqual(['silent', 'clears']);
  await nodes.leave(left.id);
  await Promise.all(waits);
  await serving.node.carriers.released('a life that is forgotten');
});

test('whether a carrier is released is asked behind the call: what was seen before does not count', async () => {
  const log = new MemoryLog({ shards: 1, random: () => 0 });
  const nodes = new MemoryNodes(log);
  const serving = processOf(log, lifeOf('serving'));
  await serving.begin();
  const carrier = lifeOf('carrier');
  await nodes.register(carrier);
  await serving.node.confirm();
  expect(await nodes.carry(carrier.id, serving.node.life.id, 1)).toBe(true);
  let isReleased = false;
  const released = serving.node.carriers.released(carrier.id).then(() => (isReleased = true));
  const seen = log.primary.table.nodes.get(serving.node.life.id)!.beat;
  await expect.poll(() => log.primary.table.nodes.get(serving.node.life.id)!.beat).toBeGreaterThan(seen + 2);
  expect(isReleased).toBe(false);
  await nodes.carry(carrier.id, null, 2);
  await released;
});

test('nodes that may carry beat, follow the log, and have a link', async () => {
  const log = new MemoryLog({ shards: 1, random: () => 0 });
  const nodes = new MemoryNodes(log);
  const serving = processOf(log, lifeOf('serving', 1000));
  await serving.begin();
  serving.node.keep(never);
  const names = (): string[] => serving.node.carriers.sights().map(({ node }) => node);
  const { link, ...unlinked } = lifeOf('without a link');
  expect(link).toBeDefined();
  const [may, starts] = [lifeOf('may', 1000), lifeOf('starts')];
  for (const life of [may, unlinked, starts]) await nodes.register(life);
  let beat = 0;
  const beats = setInterval(() => {
    beat++;
    for (const { id } of [may, unlinked]) void nodes.beat(id, beat, { behind: 0, ageMs: 10 });
    void nodes.beat(starts.id, beat);
  }, 50);
  onTestFinished(() => clearInterval(beats));
  await expect.poll(names).toEqual(['may']);
  expect(await nodes.carry(may.id, serving.node.life.id, 1)).toBe(true);
  await expect.poll(() => serving.node.carriers.sights()[0]?.carries).toBe(serving.node.life.id);
  clearInterval(beats);
  await expect.poll(names, { timeout: 10_000 }).toEqual([]);
});
