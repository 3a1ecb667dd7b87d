/** Writes as they lie in a record, made ahead of it (record.ts). */
import { encodeWrite, encodedBytes, type ByteText, type JournalWrite } from './record.ts';

const CHUNK_BYTES = 256 * 1024;

export class EncodedWrites {
  readonly #chunks: Uint8Array[] = [];
  #chunk: ByteText | null = null;
  #used = 0;
  bytes = 0;

  add(write: JournalWrite): void {
    const size = encodedBytes(write);
    if (this.#chunk === null || this.#used + size > this.#chunk.length) this.#next(size);
    this.#used = encodeWrite(this.#chunk!, this.#used, write);
    this.bytes += size;
  }

  #next(size: number): void {
    this.#close();
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(size, CHUNK_BYTES)) as ByteText;
    this.#used = 0;
  }

  #close(): void {
    if (this.#chunk !== null) this.#chunks.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = null;
  }

  /** In the order in which they were added; no more are added from then on. */
  chunks(): readonly Uint8Array[] {
    this.#close();
    return this.#chunks;
  }
}
