/**
 * Ends bodies and answers that move too slowly. Each has to move a minimum of bytes per window: a mobile link may stall for a while, but a
 * caller may not hold a connection without moving data. A door has one timer, and only transfers that take longer than one read or write
 * are entered.
 *
 * uWebSockets.js ends both by clocks of its own: a body of which 160 KiB do not come in 10 s, an answer for which there is no room in 10 s.
 * No option changes these, so each sweep sets them back (`keep`).
 */
import { limits } from '#config/limits.ts';

/** The minimum that callers have to move. */
export interface Pace {
  readonly windowMs: number;
  readonly bodyBytesPerSecondMin: number;
  readonly answerBytesPerSecondMin: number;
}

/** The pace where no other is configured. */
export const DEFAULT_PACE: Pace = {
  windowMs: limits.door.slowWindowMs,
  bodyBytesPerSecondMin: limits.door.bodyBytesPerSecondMin,
  answerBytesPerSecondMin: limits.door.answerBytesPerSecondMin,
};

/** No minimum: the door bounds its transfers by times instead. */
export const NO_PACE: Pace = {
  windowMs: Number.MAX_SAFE_INTEGER,
  bodyBytesPerSecondMin: 0,
  answerBytesPerSecondMin: 0,
};

export interface Transfer {
  /** Bytes that have moved so far. */
  readonly moved: number;
  /** Whether it is the caller's turn to move bytes; false while this side has paused the body, or has no answer bytes to send. */
  readonly waits: boolean;
  /** Sets the server's own clock back. */
  keep(): void;
  /** Called when the caller moved less than the minimum in a whole window. The transfer is no longer watched. */
  expire(): void;
}

interface Mark {
  /** Bytes that have to move within a window. */
  readonly bytesMin: number;
  /** Of the present window: how many milliseconds are over, and the bytes that had moved when it began. */
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

  /** Time without a sweep counts as two ticks at most: while this thread stood still, the bytes of callers could not be read. */
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
