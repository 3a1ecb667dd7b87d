/** Bytes of a file that grows and shrinks. */

/** `given-up`: a sync has failed to make it durable, and no later one tries. */
export interface Write {
  readonly kind: 'write';
  readonly at: number;
  readonly bytes: Buffer;
  readonly is: 'pending' | 'durable' | 'given-up';
}

/** What was done to a file and is not durable, but for writes that say that they are. */
export type Change = Write | { readonly kind: 'size'; readonly size: number };

/** What of a write lies outside of a range. */
export function outside(write: Write, from: number, to: number): Write[] {
  const { at, bytes } = write;
  const end = at + bytes.length;
  const part = (first: number, last: number): Write[] =>
    first < last ? [{ ...write, at: first, bytes: bytes.subarray(first - at, last - at) }] : [];
  return [...part(at, Math.min(end, from)), ...part(Math.max(at, to), end)];
}

export class Bytes {
  #buffer: Buffer;
  size: number;

  constructor(bytes: Buffer) {
    this.#buffer = bytes;
    this.size = bytes.length;
  }

  get all(): Buffer {
    return this.#buffer.subarray(0, this.size);
  }

  copy(): Bytes {
    return new Bytes(Buffer.from(this.all));
  }

  apply(change: Change): void {
    if (change.kind === 'size') this.resize(change.size);
    else this.write(change.bytes, change.at);
  }

  /** Bytes between the present end and `at` are zeros. */
  write(bytes: Buffer, at: number): void {
    const end = at + bytes.length;
    if (end > this.size) this.resize(end);
    bytes.copy(this.#buffer, at);
  }

  resize(size: number): void {
    if (size < this.size) this.#buffer.fill(0, size, this.size);
    if (size > this.#buffer.length) {
      const larger = Buffer.alloc(
        Math.max(size, Math.min(2 * this.#buffer.length, this.#buffer.length + 16 * 1024 * 1024)),
      );
      this.#buffer.copy(larger, 0, 0, this.size);
      this.#buffer = larger;
    }
    this.size = size;
  }
}
