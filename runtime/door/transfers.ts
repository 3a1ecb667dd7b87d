/**
 * Bodies on their way in and answers on their way out. Each is held to a floor of bytes, measured over one window after the other: a mobile
 * link may stand still for a while, a caller that means to hold a connection may not. One timer for a whole door, and only what does not
 * come or leave at once is entered.
 *
 * uWebSockets.js ends both by clocks of its own: a body of which 160 KiB do not come in 10 s, an answer for which there is no room in 10 s.
 * No option changes these, so each sweep sets them back (`keep`).
 */
import { limits } from '#config/limits.ts';

/** What slow callers are held to. */
export interface Pace {
  readonly windowMs: number;
  readonly bodyBytesPerSecondMin: number;
  readonly answerBytesPerSecondMin: number;
}

/** Where nothing else is set. */
export const DEFAULT_PACE: Pace = {
  windowMs: limits.door.slowWindowMs,
  bodyBytesPerSecondMin: limits.door.bodyBytesPerSecondMin,
  answerBytesPerSecondMin: limits.door.answerBytesPerSecondMin,
};

/** No floor: something else bounds the transfers of the door. */
export const NO_PACE: Pace = {
  windowMs: Number.MAX_SAFE_INTEGER,
  bodyBytesPerSecondMin: 0,
  answerBytesPerSecondMin: 0,
};

export interface Transfer {
  /** Bytes that have moved so far. */
  readonly moved: number;
  /** The caller is waited for; false while this side has stopped it, or has nothing for it. */
  readonly waits: boolean;
  /** Sets the server's own clock back. */
  keep(): void;
  /** The caller moved less than the floor in a whole window. Its transfer is watched no more. */
  expire(): void;
}

interface Mark {
  /** What must have moved by the end of a window. */
  readonly bytesMin: number;
  /** Of the window that goes on now: how much of it is over, and what had moved when it began. */
  ms: number;
  moved: number;
}

export class Transfers {
  readonly #pace: Pace;
  readonly #tickMs: number;
  readonly #monotonic: () => number;
  readonly #marks = new Map<Transfer, Mark>();
  #sweptAt = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(pace: Pace, monotonic: () => number = () => performance.now()) {
    this.#pace = pace;
    this.#tickMs = Math.min(limits.door.slowTickMs, pace.windowMs / 4);
    this.#monotonic = monotonic;
  }

  watchBody(transfer: Transfer): void {
    this.#watch(transfer, this.#pace.bodyBytesPerSecondMin);
  }

  watchAnswer(transfer: Transfer): void {
    this.#watch(transfer, this.#pace.answerBytesPerSecondMin);
  }

  forget(transfer: Transfer): void {
    this.#marks.delete(transfer);
  }

  /** Time that passed without a sweep counts for two ticks at most: while this thread stood still, no caller could show what it had sent. */
  sweep(): void {
    const now = this.#monotonic();
    const passed = Math.min(now - this.#sweptAt, 2 * this.#tickMs);
    this.#sweptAt = now;
    for (const [transfer, mark] of this.#marks) {
      if (this.#isSlow(transfer, mark, passed)) {
        this.#marks.delete(transfer);
        transfer.expire();
      } else transfer.keep();
    }
    if (this.#marks.size === 0) this.#rest();
  }

  #watch(transfer: Transfer, bytesPerSecond: number): void {
    const now = this.#monotonic();
    if (this.#timer === null) {
      this.#sweptAt = now;
      this.#timer = setInterval(() => this.sweep(), this.#tickMs).unref();
    }
    const bytesMin = (bytesPerSecond * this.#pace.windowMs) / 1000;
    this.#marks.set(transfer, { bytesMin, ms: this.#sweptAt - now, moved: transfer.moved });
  }

  #isSlow(transfer: Transfer, mark: Mark, passed: number): boolean {
    mark.ms = transfer.waits ? mark.ms + passed : 0;
    const isWhole = mark.ms >= this.#pace.windowMs;
    if (transfer.waits && !isWhole) return false;
    const moved = transfer.moved - mark.moved;
    mark.ms = 0;
    mark.moved = transfer.moved;
    return isWhole && moved < mark.bytesMin;
  }

  #rest(): void {
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
  }
}
