/** The first fault of any part: reported once, and every wait for a part ends with it. */
export class Fatal {
  readonly #report: (error: Error) => void;
  error: Error | null = null;
  readonly #raised = Promise.withResolvers<void>();
  halt: () => void = () => undefined;

  constructor(report: (error: Error) => void) {
    this.#report = report;
  }

  raise = (error: Error): void => {
    if (this.error !== null) return;
    this.error = error;
    this.halt();
    this.#raised.resolve();
    this.#report(error);
  };

  /** Waits for `work`; throws the fault when one comes first. */
  async before(work: Promise<unknown>): Promise<void> {
    await Promise.race([this.#raised.promise, work]);
    if (this.error !== null) throw this.error;
  }
}
