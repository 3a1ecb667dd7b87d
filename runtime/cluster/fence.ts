/**
 * `skep cluster fence`: an operator says that a node is dead, so that a standby need not wait for its lease. A node that lives and was cut off from the database would answer reads by what it knows for
 * what is left of its lease, beside the one that takes its place; its writes are refused either way. So a node that beats is never fenced, and the name has to be given twice.
 */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { nodeRows, type NodeRow } from '#storage/log-engine/postgres/cluster.ts';
import { PostgresNodes } from '#storage/log-engine/postgres/nodes.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { asked, pause, sessionOf } from './log-of.ts';

const { beatsPerLease, handOverLookMs } = limits.cluster;
/** A life that has missed so many of its beats does not beat. */
const BEATS_MISSED = 2;

export interface Fenced {
  readonly node: string;
  /** Whether it was the one that served: a standby takes its place now. */
  readonly served: boolean;
  /** Lives of that name that were ended. */
  readonly lives: number;
}

/** Waits until it has missed two beats. Throws where no life of that name is left, and where it beats. */
export async function fenceNode(platform: Platform, name: string): Promise<Fenced> {
  const options = sessionOf(platform);
  const look = (): Promise<readonly NodeRow[]> => asked(options, () => nodeRows(options));
  const lives = (await look()).filter((row) => row.node === name && !row.isFenced);
  if (lives.length === 0)
    throw new Error(`no node ${name} is left to fence: skep cluster status shows the nodes of the last day`);
  const nodes = new PostgresNodes(options);
  try {
    for (const life of lives) {
      await silence(life, look);
      if (!(await untilKnown(() => nodes.condemn(life.id, life.beat), pause))) throw itLives(life);
    }
  } finally {
    await nodes.close();
  }
  return { node: name, served: lives.some(({ serves }) => serves), lives: lives.length };
}

/** Resolves when the life has missed its beats; rejects when it beats meanwhile. */
async function silence(
  { id, beat, leaseMs, ...seen }: NodeRow,
  look: () => Promise<readonly NodeRow[]>,
): Promise<void> {
  const silentMsMin = (BEATS_MISSED * leaseMs) / beatsPerLease;
  for (let now: NodeRow | undefined = { id, beat, leaseMs, ...seen }; now !== undefined && !now.isFenced;) {
    if (now.beat !== beat) throw itLives(now);
    if (now.silentMs >= silentMsMin) return;
    await new Promise((resolve) => setTimeout(resolve, handOverLookMs));
    now = (await look()).find((row) => row.id === id);
  }
}

function itLives({ node, silentMs }: NodeRow): Error {
  return new Error(
    `${node} lives: it said so ${(silentMs / 1000).toFixed(1)} s ago, so it was not fenced\n    hand over in order (skep cluster drain ${node}), or stop it on its machine`,
  );
}
