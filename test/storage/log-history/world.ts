/** Nodes over a log of two shards, in memory unless a test connects them elsewhere, whose history is kept in a directory, by a clock that the test moves. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import type { LogEngine } from '#storage/log-engine/port.ts';
import { DirectoryCopies } from '#storage/shard-copy/directory-place.ts';
import { readPieceName } from '#storage/shard-copy/piece-name.ts';
import { Random } from '#test/kit/random.ts';
import { testSeed } from '#test/kit/seed.ts';
import { place as directory } from '#test/storage/place.ts';
import { CopiedNode } from '#test/storage/shard-copy/copied-node.ts';

const LOG = 'log';
export const HOUR = 3_600_000;
const BEGAN = 1_790_000_000_000;

export type Rows = Record<string, string>;

export function world(connect = inMemory(new Random(testSeed()))) {
  const root = directory();
  const clock = { ms: BEGAN };
  const place = new DirectoryCopies(root, LOG);
  const another = (): CopiedNode => {
    const node = new CopiedNode(connect(), place, directory());
    node.now = () => clock.ms;
    node.historyMs = HOUR;
    return node;
  };
  return { clock, place, another, node: another(), pathOf: (name: string): string => join(root, LOG, name) };
}

export function inMemory(random: Random): () => LogEngine {
  const log = new MemoryLog({ shards: 2, random: () => random.next() });
  return () => log.connect();
}

export type World = ReturnType<typeof world>;

/** So many rows of shard 0, a second apart, each with a copy behind it; gives when each was written. */
export async function copied(
  { clock, node }: Pick<World, 'clock' | 'node'>,
  from: number,
  to: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let n = from; n <= to; n++) {
    clock.ms += 500;
    await node.write(0, `row ${n}`, `${n}`);
    times.push(clock.ms);
    await node.drain();
    clock.ms += 500;
    expect(await node.copy(0)).not.toBeNull();
  }
  return times;
}

export const rowsTo = (count: number): Rows =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`row ${n + 1}`, `${n + 1}`]));

export async function piecesOf(place: World['place']) {
  return (await place.pieces(0)).map((name) => ({ name, ...readPieceName(name)! }));
}
