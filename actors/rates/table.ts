/**
 * The shared bucket table. Every profile has its own region, so a flood on one cannot push another's callers out.
 *
 *   head    16 words: version, profiles, two seed words
 *   profile 16 words each: sets, where its cells and locks begin, and the counters below
 *   cells   sets × `ways` cells of 64 bits: low word the time at which the bucket is full (GCRA's TAT, in ticks), high word
 *           the tag of its caller. A cell of zero is free. Both words change together, by one compareExchange: a cell
 *           can be given up and taken again at any moment without a charge landing on the wrong caller.
 *   locks   one word per set, held while a new caller enters it
 */
import { limits } from '#config/limits.ts';
import type { CompiledProfile } from './profile.ts';

const VERSION = 1;
const BLOCK_WORDS = 16;
const CELL_BYTES = 8;
const { ways, cellsPerEntry } = limits.rateTable;

/** Words of a profile's block, from its start. */
export const SETS = 0;
export const CELLS_AT = 1;
export const LOCKS_AT = 2;
export const ENTRIES = 3;
export const OVERFLOW_TAT = 4;
export const REFUSED = 5;
export const OVERFLOWED = 6;
/** As the keeper's last pass found them: what is taken of the emptiest bucket, in thousandths, and how many callers have no token. */
export const TAKEN = 7;
export const SPENT = 8;

/** Words of the head. */
export const SEED_0 = 2;
export const SEED_1 = 3;

export interface RateTableOptions {
  readonly profiles: readonly CompiledProfile[];
  /** Two random 32-bit words: without them a caller cannot aim at a set. */
  readonly seed: readonly [number, number];
}

/** Where the block of a profile begins, in words. */
export function blockOf(profileIndex: number): number {
  return (profileIndex + 1) * BLOCK_WORDS;
}

/** Makes an empty table. Its pages cost memory only once they are used. */
export function createRateTable(options: RateTableOptions): SharedArrayBuffer {
  const sets = options.profiles.map(setsOf);
  const headBytes = (options.profiles.length + 1) * BLOCK_WORDS * 4;
  const cellBytes = sets.reduce((sum, count) => sum + count * ways * CELL_BYTES, 0);
  const lockBytes = sets.reduce((sum, count) => sum + count * 4, 0);
  const buffer = new SharedArrayBuffer(headBytes + cellBytes + lockBytes);
  const words = new Int32Array(buffer);
  words.set([VERSION, options.profiles.length, options.seed[0], options.seed[1]]);
  let cellsAt = headBytes / CELL_BYTES;
  let locksAt = (headBytes + cellBytes) / 4;
  for (const [index, count] of sets.entries()) {
    words.set([count, cellsAt, locksAt], blockOf(index));
    cellsAt += count * ways;
    locksAt += count;
  }
  return buffer;
}

/** The table's words; throws when it was made for other profiles. */
export function openTable(buffer: SharedArrayBuffer, profiles: readonly CompiledProfile[]): Int32Array {
  const words = new Int32Array(buffer);
  if (words[0] !== VERSION) throw new Error(`rate table: version ${words[0]} instead of ${VERSION}`);
  const same = words[1] === profiles.length && profiles.every((row, i) => words[blockOf(i) + SETS] === setsOf(row));
  if (!same) throw new Error('rate table: made for other profiles');
  return words;
}

function setsOf(profile: CompiledProfile): number {
  if (profile.off) return 0;
  let sets = 1;
  while (sets * ways < profile.entriesMax * cellsPerEntry) sets *= 2;
  return sets;
}
