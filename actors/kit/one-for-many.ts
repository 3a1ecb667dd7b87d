/** One report for many occurrences: any caller, or a full disk, can cause them without end, and they must not fill a log. */

/** Counts occurrences: one in each window is reported, with how many there were since the last report. */
export class OneForMany {
  readonly #windowMs: number;
  #since = 0;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** What to report now, this occurrence included; null while the window of the last report lasts. */
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
