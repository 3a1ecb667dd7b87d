/**
 * Rounds to the log that show that this node has its place still, shared by all that wait for one (`cluster.reads: confirmed`). A round counts for what was asked before it began: one that was under way
 * already may have been acknowledged before another node took the place. No clock is asked.
 */
export class ConfirmRounds {
  readonly #round: () => Promise<boolean>;
  readonly #waitingMax: number;
  #waiting: ((isConfirmed: boolean) => void)[] = [];
  /** Those whose round is under way. */
  #asked = 0;
  #isUnderWay = false;

  /** `round`: whether the place was this node's, in a moment behind the call. One that rejects had no outcome. `waitingMax`: how many may wait. */
  constructor(round: () => Promise<boolean>, waitingMax: number) {
    this.#round = round;
    this.#waitingMax = waitingMax;
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#asked + this.#waiting.length;
  }

  /** Whether the place was this node's in a moment behind this call. False, too, where the round had no outcome, and at once where too many wait. */
  ask(): Promise<boolean> {
    if (this.waiting >= this.#waitingMax) return Promise.resolve(false);
    const asked = new Promise<boolean>((resolve) => this.#waiting.push(resolve));
    if (!this.#isUnderWay) void this.#go();
    return asked;
  }

  /** One round after another, for as long as some wait. */
  async #go(): Promise<void> {
    this.#isUnderWay = true;
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#asked = waiting.length;
      const isConfirmed = await this.#round().catch(() => false);
      this.#asked = 0;
      for (const tell of waiting) tell(isConfirmed);
    }
    this.#isUnderWay = false;
  }
}
