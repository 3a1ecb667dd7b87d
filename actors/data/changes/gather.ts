/**
 * Lets a call through at once, and those of the milliseconds behind it as one: under steady writes each commit would have every subscriber looked at, and told one change, though
 * ten of them cost hardly more.
 */
export interface GatherPorts {
  readonly ms: number;
  /** Runs a function after so many milliseconds; without it nothing is gathered. */
  readonly after: ((ms: number, run: () => void) => void) | undefined;
  /** `isSteady`: the call waited for others. */
  readonly run: (isSteady: boolean) => void;
}

export class Gather {
  readonly #ports: GatherPorts;
  #isGathering = false;
  #isCalled = false;

  constructor(ports: GatherPorts) {
    this.#ports = ports;
  }

  /** Whether a call waits for others. */
  get isGathering(): boolean {
    return this.#isGathering;
  }

  call(): void {
    if (this.#isGathering) this.#isCalled = true;
    else this.#begin(false);
  }

  #begin(isSteady: boolean): void {
    const { ms, after, run } = this.#ports;
    this.#isCalled = false;
    run(isSteady);
    if (after === undefined) return;
    this.#isGathering = true;
    after(ms, () => {
      this.#isGathering = false;
      if (this.#isCalled) this.#begin(true);
    });
  }
}
