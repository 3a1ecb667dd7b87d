/**
 * The database is put back from a copy of earlier, which loses what was acknowledged since: nothing can keep that, but it must be noticed. A node with an empty store goes on with the log first, so that it grows again; then each
 * store is refused, or comes to the log's state. In half of the runs one store is torn before, over entries of which the copy has the first ones alone.
 */
import { META_PREFIX, NOWHERE, readReach } from '#storage/applied.ts';
import type { MemoryServer } from '#test/storage/log-engine/memory-server.ts';
import { EngineRefused } from '#storage/log-engine/port.ts';
import { judgeStore, replay } from './judge.ts';
import { Ledger } from './ledger.ts';
import type { ClusterHost } from './host.ts';
import { SimulatedNode, type ClusterPorts } from './node.ts';
import { SHARDS } from './settings.ts';
import { cellsOf } from './stores.ts';

/** Processes that end in the middle of a sweep or of an opening, one after another. */
const TEARS_MAX = 4;
const TEAR_MS = 500;
/** Writes without an answer. */
const WRITES_MAX = 8;

export async function putBackAll(before: ClusterPorts, nodes: readonly SimulatedNode[]): Promise<void> {
  const { database, world } = before;
  const present = nodes.filter(({ isGone }) => !isGone);
  if (world.random.chance(0.5)) await tears(before, world.random.pick(present));
  if (!database.hasBackup) return;
  // What was acknowledged since is lost: clients begin anew.
  const ports = { ...before, ledger: new Ledger() };
  database.putBack();
  const writes = world.random.below(8);
  const stranger = new SimulatedNode(ports, 0, 'a stranger');
  if (writes > 0)
    await comesOrIsRefused(ports, stranger, (host) => {
      for (let i = 0; i < writes; i++) for (const shard of SHARDS) host.write(shard);
    });
  for (const node of present) await comesOrIsRefused(ports, node);
}

/** A node writes, and its process ends, some times; the copy of the database is of a moment in between, where there is one of a log that lacks a part of what its store has. */
async function tears(ports: ClusterPorts, node: SimulatedNode): Promise<void> {
  const { database, ledger, outside, world } = ports;
  const { random } = world;
  const moments: MemoryServer[] = [];
  const wish = 1 + random.below(TEARS_MAX);
  for (let no = 0; no < wish; no++) {
    const ms = random.next() * TEAR_MS;
    node.writesUntil(ms, (host) => keepsWriting(ports, host, moments));
    let isOver = false;
    world.after(ms + 1, outside, 'is over', () => (isOver = true));
    await world.run(() => isOver);
  }
  await settles(ports);
  const between = moments.filter((copy) => SHARDS.some((no) => lacksPart(ports, node, no, copy.row(no).tail)));
  if (between.length > 0) ledger.reached.torn++;
  const choice = between.length > 0 ? between : moments;
  database.backUp(choice.length > 0 ? random.pick(choice) : undefined);
}

/** Whether a log that ends there has all that the store says it has wholly, and lacks something that is in it. What the store says of its parts is not asked: that is what is tried. */
function lacksPart({ database }: ClusterPorts, { dataDir }: SimulatedNode, no: number, tail: number): boolean {
  const cells = cellsOf(dataDir, no)!;
  const { whole } = readReach(cells) ?? NOWHERE;
  if (tail < whole.seq) return false;
  const { rows } = replay(no, database.entriesOf(no).slice(0, tail));
  const here = [...cells.range('', META_PREFIX, false)].map(({ value }) => Buffer.from(value).toString('latin1'));
  return newestIn(here) > newestIn([...rows.values()]);
}

/** The newest write of which a value is there: each value has its number, which rise. */
const newestIn = (values: readonly string[]): number =>
  values.reduce((newest, value) => Math.max(newest, Number(/(\d+)\.*$/.exec(value)?.[1] ?? 0)), 0);

function keepsWriting(ports: ClusterPorts, host: ClusterHost, moments: MemoryServer[]): void {
  const { database, world } = ports;
  const { random } = world;
  if (host.unanswered < WRITES_MAX) host.write(random.pick(SHARDS));
  moments.push(database.copy());
  world.after(random.next() * 10, host.room, 'writes', () => keepsWriting(ports, host, moments));
}

/** Until the database has nothing to do, and nothing is on its way there. */
export async function settles({ database, settings, world }: ClusterPorts): Promise<void> {
  let isSettled = false;
  world.after(
    2 * settings.leaseMs,
    database.room,
    'settle',
    () => void database.log.settled().then(() => (isSettled = true)),
  );
  await world.run(() => isSettled);
}

async function comesOrIsRefused(
  { database, outside, world }: ClusterPorts,
  node: SimulatedNode,
  then?: (host: ClusterHost) => void,
): Promise<void> {
  let end: 'came' | 'refused' | null = null;
  world.after(0, outside, 'comes back', () => {
    node.audits(then).then(
      () => (end = 'came'),
      (error: unknown) => {
        if (error instanceof EngineRefused) end = 'refused';
        else world.fail(error as Error);
      },
    );
  });
  await world.run(() => end !== null);
  if (end === 'refused') return;
  for (const shard of SHARDS)
    judgeStore(`${node.name}, shard ${shard}`, cellsOf(node.dataDir, shard)!, replay(shard, database.entriesOf(shard)));
}
