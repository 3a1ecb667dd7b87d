/** The rate-keeper: gives up entries that have been full for the idle time, frees locks of dead threads, and counts. */
import { limits } from '#config/limits.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { CompiledProfile } from './profile.ts';
import {
  blockOf,
  CELLS_AT,
  ENTRIES,
  LOCKS_AT,
  openTable,
  OVERFLOW_TAT,
  OVERFLOWED,
  REFUSED,
  SETS,
  SPENT,
  TAKEN,
} from './table.ts';

const { ways, sweepCells, sweepMs } = limits.rateTable;

/** No count: the next pass looks at the region, which has a lock that may be that of a dead thread. */
const LOOK_AGAIN = Number.NaN;

export interface RateCounts {
  readonly profile: string;
  /** Callers that have an entry now. */
  readonly entries: number;
  readonly entriesMax: number;
  /** Since the start; the counters wrap at 2³². */
  readonly refused: number;
  /** Decisions of the shared overflow bucket. */
  readonly overflowed: number;
  /** What is taken of the emptiest bucket, 0 to 1, and callers without a token: as of the last pass over the table. */
  readonly taken: number;
  readonly spent: number;
}

export class RateKeeper {
  readonly #words: Int32Array;
  readonly #cells: BigInt64Array;
  readonly #profiles: readonly CompiledProfile[];
  readonly #clock: Clock;
  readonly #halves = new Int32Array(2);
  readonly #pair = new BigInt64Array(this.#halves.buffer);
  #profile = 0;
  #set = 0;
  /** Whether the region of the profile is looked at in this pass. */
  #isUsed = false;
  /** Of the buckets of the profile that this pass has seen: how far the emptiest is from full, in ticks, and how many have no token. */
  #emptiest = 0;
  #spent = 0;
  /** By profile: decisions of its overflow bucket as of the last look at its region. */
  readonly #overflowed: number[];

  constructor(buffer: SharedArrayBuffer, profiles: readonly CompiledProfile[], clock: Clock) {
    this.#words = openTable(buffer, profiles);
    this.#cells = new BigInt64Array(buffer, 0, Math.floor(buffer.byteLength / 8));
    this.#profiles = profiles;
    this.#clock = clock;
    this.#overflowed = profiles.map(() => 0);
  }

  /** One slice of the pass over the table. True when the pass is complete: the next one is due after limits.rateTable.sweepMs. */
  sweep(): boolean {
    let budget = sweepCells / ways;
    while (this.#profile < this.#profiles.length) {
      const sets = this.#setsToSweep();
      if (this.#set === 0) this.#restOverflow();
      const end = Math.min(sets, this.#set + budget);
      for (let set = this.#set; set < end; set++) this.#sweepSet(set);
      budget -= end - this.#set;
      this.#set = end;
      if (end < sets) return false;
      this.#noteLevels();
      this.#profile++;
      this.#set = 0;
    }
    this.#profile = 0;
    return true;
  }

  counts(): RateCounts[] {
    return this.#profiles.map((profile, index) => ({
      profile: profile.name,
      entries: Atomics.load(this.#words, blockOf(index) + ENTRIES),
      entriesMax: profile.entriesMax,
      refused: Atomics.load(this.#words, blockOf(index) + REFUSED) >>> 0,
      overflowed: Atomics.load(this.#words, blockOf(index) + OVERFLOWED) >>> 0,
      taken: Atomics.load(this.#words, blockOf(index) + TAKEN) / 1000,
      spent: Atomics.load(this.#words, blockOf(index) + SPENT),
    }));
  }

  /**
   * An unused region is not looked at, so that its pages stay unmapped. One without entries whose callers share the overflow bucket is: a thread may
   * have died in it with a lock.
   */
  #setsToSweep(): number {
    const block = blockOf(this.#profile);
    if (this.#set === 0) {
      const overflowed = Atomics.load(this.#words, block + OVERFLOWED);
      const hasEntries = Atomics.load(this.#words, block + ENTRIES) !== 0;
      this.#isUsed = hasEntries || overflowed !== this.#overflowed[this.#profile];
      this.#overflowed[this.#profile] = overflowed;
    }
    return this.#isUsed ? this.#words[block + SETS]! : 0;
  }

  /** An overflow bucket that was full for the idle time starts anew, so that its time never wraps. */
  #restOverflow(): void {
    const profile = this.#profiles[this.#profile]!;
    const word = blockOf(this.#profile) + OVERFLOW_TAT;
    const tat = Atomics.load(this.#words, word);
    if (tat !== 0 && ((this.#ticks(profile) - tat) | 0) >= profile.idleTicks)
      Atomics.compareExchange(this.#words, word, tat, 0);
  }

  #sweepSet(set: number): void {
    const profile = this.#profiles[this.#profile]!;
    const block = blockOf(this.#profile);
    const now = this.#ticks(profile);
    const first = this.#words[block + CELLS_AT]! + set * ways;
    for (let cell = first; cell < first + ways; cell++) {
      if (this.#isIdle(cell, now, profile)) {
        if (this.#clear(cell)) Atomics.sub(this.#words, block + ENTRIES, 1);
      } else if (this.#halves[1] !== 0) this.#seeLevel(now, profile);
    }
    this.#freeLock(this.#words[block + LOCKS_AT]! + set);
  }

  /** Full for the idle time: callers see no difference between it and no entry. Leaves what it read in #halves. */
  #isIdle(cell: number, now: number, profile: CompiledProfile): boolean {
    this.#halves[0] = Atomics.load(this.#words, cell * 2);
    this.#halves[1] = Atomics.load(this.#words, cell * 2 + 1);
    if (this.#halves[1] === 0) return false;
    return ((now - this.#halves[0]) | 0) >= profile.idleTicks;
  }

  /** Of the bucket in #halves. A window ahead, and no more, is an empty bucket: beyond it the clock was set back. */
  #seeLevel(now: number, { costTicks, windowTicks }: CompiledProfile): void {
    const ahead = Math.min(windowTicks, (this.#halves[0]! - now) | 0);
    if (ahead > this.#emptiest) this.#emptiest = ahead;
    if (ahead + costTicks > windowTicks) this.#spent++;
  }

  /** At the end of a profile's part of the pass. Figures that this thread alone writes, and by which no gate decides. */
  #noteLevels(): void {
    const block = blockOf(this.#profile);
    const { windowTicks } = this.#profiles[this.#profile]!;
    const taken = windowTicks === 0 ? 0 : Math.round((1000 * this.#emptiest) / windowTicks);
    this.#words[block + TAKEN] = taken;
    this.#words[block + SPENT] = this.#spent;
    this.#emptiest = this.#spent = 0;
  }

  /** Clears the cell as it was read; a charge that came meanwhile wins. */
  #clear(cell: number): boolean {
    const before = this.#pair[0]!;
    return Atomics.compareExchange(this.#cells, cell, before, 0n) === before;
  }

  #ticks(profile: CompiledProfile): number {
    return (this.#clock.now() * profile.ticksPerMs) | 0;
  }

  #freeLock(lock: number): void {
    const stamp = Atomics.load(this.#words, lock);
    if (stamp === 0) return;
    const heldMs = (((this.#clock.now() / 1000) | 0) - stamp) * 1000;
    if (heldMs > sweepMs) Atomics.compareExchange(this.#words, lock, stamp, 0);
    else this.#overflowed[this.#profile] = LOOK_AGAIN;
  }
}
