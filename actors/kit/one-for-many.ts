/** One telling for many occurrences: what strangers, or a full disk, can cause without end must fill no log. */

/** Counts occurrences: one in each window is told, and says how many there were since the last that was. */
export class OneForMany {
  readonly #windowMs: number;
  #since = 0;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** What is to be told now, this occurrence counted; null while the window of the last telling lasts. */
  seen(nowMs: number): { readonly since: number } | null {
    this.#since++;
    // A clock that was set back must not silence it.
    if (nowMs < this.#nextMs && nowMs >= this.#nextMs - this.#windowMs) return null;
    const since = this.#since;
    this.#since = 0;
    this.#nextMs = nowMs + this.#windowMs;
    return { since };
  }
}
