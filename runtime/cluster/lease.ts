/**
 * Until when a node may answer for a log by what it knows, and when others may take its place. No clock is compared with another one: each side measures by its own, which may run a tenth faster or slower.
 *
 *   the one that serves   ──beat sent────acknowledged───────────── sent + 0.8 L: it answers no more
 *   one that stands by        ────────seen────────────────────────────────── seen + L: condemned, and only then another serves
 *
 * A beat is seen behind its sending, so the first end lies before the second: 0.8 / 0.9 of L is less than 1 / 1.1 of it. Why so: docs/decisions/storage.md ST-36.
 */
import type { NodeSight, Sight } from '#storage/log-engine/nodes-port.ts';

/** The share of a lease in which its holder answers: the rest is for clocks that run at different rates. */
const HELD_SHARE = 0.8;

/** The holder's side. Times are milliseconds of one monotonic clock. */
export class Lease {
  readonly #heldMs: number;
  readonly #changed: (until: number) => void;
  #until = -Infinity;
  #isOver = false;

  /** `changed` is told each new end. */
  constructor(leaseMs: number, changed: (until: number) => void = () => undefined) {
    this.#heldMs = leaseMs * HELD_SHARE;
    this.#changed = changed;
  }

  /** A beat that was sent at this time is acknowledged now: whatever its answer took is gone. */
  renewed(sentAt: number): void {
    if (this.#isOver || sentAt + this.#heldMs <= this.#until) return;
    this.#set(sentAt + this.#heldMs);
  }

  /** How long it lasts, milliseconds; 0 when it is over. */
  leftMs(now: number): number {
    return Math.max(this.#until - now, 0);
  }

  holds(now: number): boolean {
    return now < this.#until;
  }

  /** The clock stood still for a while, as that of a suspended machine does: the next beat renews. */
  lapse(): void {
    this.#set(-Infinity);
  }

  /** For good: no beat renews it any more. */
  end(): void {
    this.#isOver = true;
    this.#set(-Infinity);
  }

  #set(until: number): void {
    this.#until = until;
    this.#changed(until);
  }
}

interface Seen {
  readonly beat: number;
  /** When it was first seen, the whole time without a gap since. */
  readonly since: number;
}

/** The watcher's side: lives whose beat does not move. */
export class Watch {
  readonly #leaseMs: number;
  readonly #gapMs: number;
  #seen = new Map<string, Seen>();
  #lastAt = -Infinity;

  /** `gapMs`: a watcher that saw nothing for so long begins anew. It may be the one that was cut off, or the database was, and others beat no more than itself. */
  constructor(leaseMs: number, gapMs: number) {
    this.#leaseMs = leaseMs;
    this.#gapMs = gapMs;
  }

  /** Takes what a beat of the watcher's own has shown, as its answer comes. */
  saw({ nodes }: Sight, now: number): void {
    const isGap = now - this.#lastAt > this.#gapMs;
    this.#lastAt = now;
    const seen = new Map<string, Seen>();
    for (const { id, beat } of nodes) {
      const before = this.#seen.get(id);
      seen.set(id, before === undefined || isGap || before.beat !== beat ? { beat, since: now } : before);
    }
    this.#seen = seen;
  }

  /** Whether a life was silent for as long as its lease, or the watcher's where that is longer. */
  isSilent({ id, beat, leaseMs }: NodeSight, now: number): boolean {
    const seen = this.#seen.get(id);
    return seen !== undefined && seen.beat === beat && now - seen.since >= Math.max(this.#leaseMs, leaseMs);
  }
}

/** Notices a suspended machine, whose monotonic clock stood still with it while the clocks of others went on. */
export class Suspends {
  readonly #msMin: number;
  #ahead = Infinity;

  constructor(msMin: number) {
    this.#msMin = msMin;
  }

  /** Whether the machine slept since the last look: its uptime, which counts sleep, has gained on the clock that does not. Both are milliseconds. */
  slept(uptimeMs: number, monotonicMs: number): boolean {
    const ahead = uptimeMs - monotonicMs;
    const isGain = ahead - this.#ahead >= this.#msMin;
    this.#ahead = ahead;
    return isGain;
  }
}
