/**
 * The door's side of the rate table: GCRA, one compareExchange per granted request, no message to anyone.
 * GCRA keeps one number per bucket, the instant at which it is full again (TAT). A request is granted when TAT plus one
 * cost lies at most one window ahead of now, so over any time t at most burst + rate × t requests are granted.
 * Spec: docs/contract/identity.md §7.2, docs/contract/intake.md §9.
 */
import { limits } from '#config/limits.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { CallerHash } from './caller-hash.ts';
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
  SEED_0,
  SEED_1,
  SETS,
} from './table.ts';

const { ways, claimSpins } = limits.rateTable;
const NOT_FOUND = -1;

export class RateGate {
  readonly #words: Int32Array;
  readonly #cells: BigInt64Array;
  readonly #profiles: readonly CompiledProfile[];
  readonly #clock: Clock;
  readonly #hash: CallerHash;
  /** Old and new content of a cell, as words and as the 64-bit values that are exchanged. */
  readonly #halves = new Int32Array(4);
  readonly #pair = new BigInt64Array(this.#halves.buffer);

  /** The clock should be monotonic and the same in all threads (monotonic-clock.ts); a step back only makes callers wait. */
  constructor(buffer: SharedArrayBuffer, profiles: readonly CompiledProfile[], clock: Clock) {
    this.#words = openTable(buffer, profiles);
    this.#cells = new BigInt64Array(buffer, 0, Math.floor(buffer.byteLength / 8));
    this.#profiles = profiles;
    this.#clock = clock;
    this.#hash = new CallerHash(this.#words[SEED_0]!, this.#words[SEED_1]!);
  }

  /** Takes one token: 0 = granted, else milliseconds (at least 1) until the next one. `ip` is an `ipKey`. */
  take(profileIndex: number, tenantNo: number, ip: string): number {
    const profile = this.#profiles[profileIndex]!;
    if (profile.off) return 0;
    const now = this.#ticks(profile);
    this.#hash.of(tenantNo, ip);
    const wait = this.#charge(profileIndex, profile, now);
    if (wait === 0) return 0;
    Atomics.add(this.#words, blockOf(profileIndex) + REFUSED, 1);
    return Math.ceil(wait / profile.ticksPerMs);
  }

  /** Takes one token of the bucket that callers without an address and callers without a place share; the same answers as `take`. */
  takeShared(profileIndex: number): number {
    const profile = this.#profiles[profileIndex]!;
    if (profile.off) return 0;
    const wait = this.#chargeOverflow(profileIndex, profile, this.#ticks(profile));
    if (wait === 0) return 0;
    Atomics.add(this.#words, blockOf(profileIndex) + REFUSED, 1);
    return Math.ceil(wait / profile.ticksPerMs);
  }

  /** Tokens that the caller has now, for X-RateLimit-Remaining; takes none. */
  remaining(profileIndex: number, tenantNo: number, ip: string): number {
    const profile = this.#profiles[profileIndex]!;
    if (profile.off) return Infinity;
    const now = this.#ticks(profile);
    this.#hash.of(tenantNo, ip);
    const cell = this.#find(this.#firstCell(profileIndex));
    const tat = cell === NOT_FOUND ? now : Atomics.load(this.#words, cell * 2);
    return Math.floor((profile.windowTicks - ahead(profile, tat, now)) / profile.costTicks);
  }

  #charge(profileIndex: number, profile: CompiledProfile, now: number): number {
    const first = this.#firstCell(profileIndex);
    for (let spin = 0; spin < claimSpins; spin++) {
      const cell = this.#find(first);
      const wait = cell === NOT_FOUND ? this.#claim(profileIndex, first, now) : this.#chargeCell(profile, cell, now);
      if (wait >= 0) return wait;
    }
    return this.#chargeOverflow(profileIndex, profile, now);
  }

  /** 0 = granted, above 0 = ticks to wait, -1 = the cell changed hands meanwhile. */
  #chargeCell(profile: CompiledProfile, cell: number, now: number): number {
    const tag = this.#hash.tag;
    for (;;) {
      const tat = Atomics.load(this.#words, cell * 2);
      if (Atomics.load(this.#words, cell * 2 + 1) !== tag) return -1;
      const after = ahead(profile, tat, now) + profile.costTicks;
      const wait = Math.max(0, after - profile.windowTicks);
      if (wait > 0 && isSane(profile, tat, now)) return wait;
      if (this.#exchange(cell, tat, tag, now + after - wait, tag)) return wait;
    }
  }

  /** A caller seen for the first time enters its set, one thread at a time; -1 = try again, 0 = entered and granted. */
  #claim(profileIndex: number, first: number, now: number): number {
    const block = blockOf(profileIndex);
    const profile = this.#profiles[profileIndex]!;
    const lock = this.#words[block + LOCKS_AT]! + this.#setOf(block);
    if (Atomics.compareExchange(this.#words, lock, 0, this.#stamp()) !== 0) return -1;
    try {
      if (this.#find(first) !== NOT_FOUND) return -1;
      if (this.#enterFree(block, profile, first, now) || this.#enterFull(profile, first, now)) return 0;
      return this.#chargeOverflow(profileIndex, profile, now);
    } finally {
      Atomics.store(this.#words, lock, 0);
    }
  }

  #enterFree(block: number, profile: CompiledProfile, first: number, now: number): boolean {
    if (Atomics.add(this.#words, block + ENTRIES, 1) < profile.entriesMax)
      for (let cell = first; cell < first + ways; cell++)
        if (
          Atomics.load(this.#words, cell * 2 + 1) === 0 &&
          this.#exchange(cell, 0, 0, now + profile.costTicks, this.#hash.tag)
        )
          return true;
    Atomics.sub(this.#words, block + ENTRIES, 1);
    return false;
  }

  /** A full bucket means the same as none: its entry can go to another caller. */
  #enterFull(profile: CompiledProfile, first: number, now: number): boolean {
    for (let cell = first; cell < first + ways; cell++) {
      const tat = Atomics.load(this.#words, cell * 2);
      const tag = Atomics.load(this.#words, cell * 2 + 1);
      if (tag !== 0 && ((tat - now) | 0) <= 0)
        if (this.#exchange(cell, tat, tag, now + profile.costTicks, this.#hash.tag)) return true;
    }
    return false;
  }

  /** The bucket that callers without a place share: it fails closed, at the profile's own rate. */
  #chargeOverflow(profileIndex: number, profile: CompiledProfile, now: number): number {
    const block = blockOf(profileIndex);
    Atomics.add(this.#words, block + OVERFLOWED, 1);
    for (;;) {
      const tat = Atomics.load(this.#words, block + OVERFLOW_TAT);
      // Zero stands for never used: the words of a new table are zero whatever the clock says.
      const after = (tat === 0 ? 0 : ahead(profile, tat, now)) + profile.costTicks;
      const wait = Math.max(0, after - profile.windowTicks);
      if (wait > 0 && isSane(profile, tat, now)) return wait;
      const next = (now + after - wait) | 0 || 1;
      if (Atomics.compareExchange(this.#words, block + OVERFLOW_TAT, tat, next) === tat) return wait;
    }
  }

  #find(first: number): number {
    const tag = this.#hash.tag;
    for (let cell = first; cell < first + ways; cell++)
      if (Atomics.load(this.#words, cell * 2 + 1) === tag) return cell;
    return NOT_FOUND;
  }

  #firstCell(profileIndex: number): number {
    const block = blockOf(profileIndex);
    return this.#words[block + CELLS_AT]! + this.#setOf(block) * ways;
  }

  #setOf(block: number): number {
    return this.#hash.set & (this.#words[block + SETS]! - 1);
  }

  #exchange(cell: number, tat: number, tag: number, nextTat: number, nextTag: number): boolean {
    this.#halves[0] = tat;
    this.#halves[1] = tag;
    this.#halves[2] = nextTat;
    this.#halves[3] = nextTag;
    const before = this.#pair[0]!;
    return Atomics.compareExchange(this.#cells, cell, before, this.#pair[1]!) === before;
  }

  #ticks(profile: CompiledProfile): number {
    return (this.#clock.now() * profile.ticksPerMs) | 0;
  }

  /** What a lock holds: the second it was taken in, so that the rate-keeper (keeper.ts) can free one whose thread died. */
  #stamp(): number {
    return (this.#clock.now() / 1000) | 0 || 1;
  }
}

/** How far the bucket is from full, at most a window: an empty bucket. */
function ahead(profile: CompiledProfile, tat: number, now: number): number {
  const ticks = (tat - now) | 0;
  if (ticks <= 0) return 0;
  return ticks > profile.windowTicks ? profile.windowTicks : ticks;
}

/** More than a window ahead cannot have been granted: the clock stepped back. Such a bucket starts again as an empty one. */
function isSane(profile: CompiledProfile, tat: number, now: number): boolean {
  return ((tat - now) | 0) <= profile.windowTicks;
}
