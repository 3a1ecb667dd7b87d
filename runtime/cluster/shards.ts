/** The shards of a log, and how far this machine's stores have followed it: the rows of `skep cluster status`. */
import type { Platform } from '#config/platform.ts';
import { readReach } from '#storage/applied.ts';
import { findShards, withShard } from '#storage/inspect.ts';
import { DirectoryHeld, lockDirectory } from '#storage/lock.ts';
import { nodeRows, shardRows, type NodeRow, type ShardRow } from '#storage/log-engine/postgres/cluster.ts';
import { readCopyName } from '#storage/shard-copy/place.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { asked, sessionOf } from './log-of.ts';

export interface ShardStatus extends Omit<ShardRow, 'copy'> {
  /** The entry up to which the newest copy has all, and when it was made; null where there is none. */
  readonly copy: number | null;
  readonly copied: string | null;
  /** How many entries a start without a store reads, behind the newest copy. */
  readonly behind: number;
  /** The newest entry that LMDB here has wholly; null where there is no store, or a node has it open. */
  readonly here: number | null;
}

export interface NodeStatus {
  readonly node: string;
  readonly state: 'serves' | 'stands by' | 'silent' | 'ended';
  /** Seconds since its newest beat, by the clock of the database. */
  readonly beat_s: number;
  /** Seconds. */
  readonly lease_s: number;
  /** Of one that stands by: entries that it did not have at its newest beat, and seconds since it had all that was confirmed; null of one that does not follow. */
  readonly behind: number | null;
  readonly behind_s: number | null;
  /** Where the doors of other nodes reach it; null where they do not. */
  readonly link: string | null;
  /** Of one that stands by: whether requests at its doors reached the node that serves, at its newest beat; null where its doors are closed. */
  readonly linked: boolean | null;
  /** The node for which it runs hosts; null where it runs none. */
  readonly carries: string | null;
}

export interface LogStatus {
  /** Those of the last day, newest beat first. */
  readonly nodes: readonly NodeStatus[];
  readonly shards: readonly ShardStatus[];
  /** Whether a node has the data directory open: its stores are not looked into. */
  readonly isServed: boolean;
}

/** Changes nothing. Throws where the platform file names no database, where none answers, and where it has no log. */
export async function statusOf(platform: Platform): Promise<LogStatus> {
  const { nodes, shards } = await logStateOf(platform);
  const places = await placesIn(platform.storage.dir);
  return {
    nodes,
    shards: shards.map((shard) => ({ ...shard, here: places?.get(shard.shard) ?? null })),
    isServed: places === null,
  };
}

/** The nodes alone. Changes nothing; throws as `statusOf`. */
export async function nodesOf(platform: Platform): Promise<readonly NodeStatus[]> {
  const options = sessionOf(platform);
  return nodeStatuses(await asked(options, () => nodeRows(options)));
}

/** The nodes and shards as the database has them. Throws as `statusOf`. */
export async function logStateOf(
  platform: Platform,
): Promise<{ readonly nodes: readonly NodeStatus[]; readonly shards: readonly Omit<ShardStatus, 'here'>[] }> {
  const options = sessionOf(platform);
  const rows = await asked(options, () => shardRows(options));
  const nodes = await asked(options, () => nodeRows(options));
  return { nodes: nodeStatuses(nodes), shards: rows.map((row) => ({ ...row, ...copyOf(row) })) };
}

/** Of lives as the database has them, in their order. */
export function nodeStatuses(rows: readonly NodeRow[]): NodeStatus[] {
  const names = new Map(rows.map(({ id, node }) => [id, node]));
  return rows.map((row) => nodeStatus(row, names));
}

function nodeStatus(
  { node, isFenced, leaseMs, serves, silentMs, follows, link, linked, carries }: NodeRow,
  names: ReadonlyMap<string, string>,
): NodeStatus {
  const alive = serves ? 'serves' : 'stands by';
  const state = isFenced ? 'ended' : silentMs > leaseMs ? 'silent' : alive;
  const said = state === 'stands by' ? follows : null;
  return {
    node,
    state,
    beat_s: tenths(silentMs),
    lease_s: leaseMs / 1000,
    behind: said?.behind ?? null,
    behind_s: said === null || said.ageMs === null ? null : tenths(said.ageMs + silentMs),
    link: link ?? null,
    linked: state === 'stands by' ? linked : null,
    carries: isFenced || carries === null ? null : (names.get(carries) ?? carries),
  };
}

const tenths = (ms: number): number => Math.round(ms / 100) / 10;

function copyOf({ copy, last, trimmed }: ShardRow): Pick<ShardStatus, 'copy' | 'copied' | 'behind'> {
  if (copy === null) return { copy: null, copied: null, behind: last - trimmed };
  const made = readCopyName(copy.name);
  return { copy: copy.seq, copied: made === null ? null : timestamp(made.madeMs), behind: last - copy.seq };
}

export interface ShardPlace {
  readonly shard: number;
  /** The node that opened it last, and its place there; null where none has, or a command holds the log. */
  readonly node: string | null;
  readonly place: string | null;
  readonly epoch: number;
}

/** Which node runs which shards, by their claims in the log. Changes nothing; throws as `statusOf`. */
export async function shardPlacesOf(platform: Platform): Promise<readonly ShardPlace[]> {
  const rows = await asked(sessionOf(platform), () => shardRows(sessionOf(platform)));
  return rows.map(({ epoch, owner, shard }) => {
    const [, node = null, place = null] = HOST.exec(owner ?? '') ?? [];
    return { shard, node, place, epoch };
  });
}

/** As a host names itself when it claims (host-journals.ts). */
const HOST = /^(\S+) process \d+ (host-\d+)$/;

/** Null where a node has the directory. */
async function placesIn(dataDir: string): Promise<ReadonlyMap<number, number> | null> {
  const places = new Map<number, number>();
  if (!existsSync(join(dataDir, 'shards'))) return places;
  let lock;
  try {
    lock = await lockDirectory(dataDir);
  } catch (error) {
    if (error instanceof DirectoryHeld) return null;
    throw error;
  }
  try {
    for (const no of findShards(dataDir)) {
      const reach = await withShard(dataDir, no, (environment) => readReach(environment));
      if (reach !== null) places.set(no, reach.whole.seq);
    }
    return places;
  } finally {
    lock.release();
  }
}
