/** How many of something run at once; the next one is refused rather than queued, for each holds memory. */
export class Bound {
  readonly #max: number;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get full(): boolean {
    return this.#taken >= this.#max;
  }

  /** False when all places are taken; after true the caller must give its place back. */
  take(): boolean {
    if (this.full) return false;
    this.#taken++;
    return true;
  }

  give(): void {
    this.#taken--;
  }
}
