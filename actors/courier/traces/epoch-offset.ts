/** What makes an instant of the process's monotonic clock one since 1970. */

/** Below this the old offset stays, so that the spans of one trace, exported in different batches, keep their order. */
const DRIFT_MS = 5;

export class EpochOffset {
  #offset = Number.NaN;

  /** The offset, given both clocks at the same moment. It follows a wall clock that drifts or is set. */
  at(wallMs: number, processMs: number): number {
    const now = wallMs - processMs;
    if (!(Math.abs(now - this.#offset) <= DRIFT_MS)) this.#offset = now;
    return this.#offset;
  }
}
