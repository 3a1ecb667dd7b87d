/** Bytes of files in memory, by digest, up to a bound; those that were not asked for longest go first. Equal files of tenants are there once. */

export class KeptBytes {
  readonly #bytesMax: number;
  readonly #readingMax: number;
  readonly #kept = new Map<string, Buffer>();
  readonly #reading = new Map<string, Promise<Buffer>>();
  readonly #queue: (() => void)[] = [];
  #busy = 0;
  #bytes = 0;

  constructor(bytesMax: number, readingMax: number) {
    this.#bytesMax = bytesMax;
    this.#readingMax = readingMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The bytes of a digest. However many ask, they are read once, and few files at a time. */
  of(digest: string, read: () => Promise<Buffer>): Promise<Buffer> {
    const kept = this.#kept.get(digest);
    if (kept !== undefined) {
      this.#kept.delete(digest);
      this.#kept.set(digest, kept);
      return Promise.resolve(kept);
    }
    const under = this.#reading.get(digest);
    if (under !== undefined) return under;
    const reading = this.#read(digest, read).finally(() => this.#reading.delete(digest));
    this.#reading.set(digest, reading);
    return reading;
  }

  async #read(digest: string, read: () => Promise<Buffer>): Promise<Buffer> {
    if (this.#busy >= this.#readingMax) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#busy++;
    try {
      const bytes = await read();
      this.#keep(digest, bytes);
      return bytes;
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#busy--;
      else next();
    }
  }

  #keep(digest: string, bytes: Buffer): void {
    this.#kept.set(digest, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
  }
}
