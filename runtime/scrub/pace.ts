/**
 * The pace of the scrubber: slices of a millisecond, each followed by a rest that keeps to the declared share of the thread's time. A slow disk
 * makes slices longer, and rests with them. While requests wait for their turn, the next slice is put off for a while.
 */
import { limits } from '#config/limits.ts';

export interface PacePorts {
  /** `storage.scrub_percent`, above 0. */
  readonly percent: number;
  /** Milliseconds of a monotonic clock. */
  readonly fine: () => number;
  /** Resolves after a time, or when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Lets the thread's event loop run once. */
  readonly yieldLoop: () => Promise<void>;
  /** Whether requests wait for their turn. */
  readonly isBusy: () => boolean;
}

/** The thread stops: every look ends here. */
export class ScrubStopped extends Error {
  constructor() {
    super('the scrubber was stopped');
  }
}

export class ScrubPace {
  readonly #ports: PacePorts;
  #began: number;
  /** Milliseconds of rest that the work so far still requires. */
  #owed = 0;
  readonly #end = new AbortController();

  constructor(ports: PacePorts) {
    this.#ports = ports;
    this.#began = ports.fine();
  }

  /** Whether the slice has lasted long enough. */
  get isOver(): boolean {
    return this.#ports.fine() - this.#began >= limits.scrub.sliceMs;
  }

  /** Stops running work at its next rest; a rest in progress ends now. */
  stop(): void {
    this.#end.abort();
  }

  get stopped(): boolean {
    return this.#end.signal.aborted;
  }

  /** Resolves after a time, or when stopped. */
  sleep(ms: number): Promise<void> {
    return this.stopped ? Promise.resolve() : this.#ports.sleep(ms, this.#end.signal);
  }

  /** Work begins after a wait that does not count. */
  begin(): void {
    this.#began = this.#ports.fine();
  }

  /** Ends a slice; the next one begins when it resolves. `hurry` postpones the rest. Throws ScrubStopped. */
  async rest(hurry = false): Promise<void> {
    const { fine, percent, yieldLoop } = this.#ports;
    this.#owed += (fine() - this.#began) * (100 / percent - 1);
    if (hurry || this.#owed < limits.scrub.restMsMin) await yieldLoop();
    else {
      await this.sleep(this.#owed);
      this.#owed = 0;
    }
    await this.#giveWay();
    if (this.stopped) throw new ScrubStopped();
    this.begin();
  }

  async #giveWay(): Promise<void> {
    const { busyMs, busyTimesMax } = limits.scrub;
    for (let times = 0; times < busyTimesMax && !this.stopped && this.#ports.isBusy(); times++)
      await this.sleep(busyMs);
  }
}
