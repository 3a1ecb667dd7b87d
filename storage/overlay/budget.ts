/** The bound on writes that wait for LMDB, over all shards of one archive. A full one refuses turns: StorageFull('overlay'). */
export class Budget {
  readonly #entriesMax: number;
  readonly #bytesMax: number;
  #entries = 0;
  #bytes = 0;

  constructor(entriesMax: number, bytesMax: number) {
    this.#entriesMax = entriesMax;
    this.#bytesMax = bytesMax;
  }

  get entries(): number {
    return this.#entries;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The share that is taken, 0 to 1. */
  get pressure(): number {
    return Math.max(this.#entries / this.#entriesMax, this.#bytes / this.#bytesMax);
  }

  admits(entries: number, bytes: number): boolean {
    return this.#entries + entries <= this.#entriesMax && this.#bytes + bytes <= this.#bytesMax;
  }

  take(entries: number, bytes: number): void {
    this.#entries += entries;
    this.#bytes += bytes;
  }

  give(entries: number, bytes: number): void {
    this.#entries -= entries;
    this.#bytes -= bytes;
  }
}
