/**
 * How much of its quota the files of a store use. They are counted at the first upload, and again after each sweep; in between published
 * files are added. A file that the store has already adds nothing. Without a quota nothing is counted.
 */
import type { FileRecord } from '#config/values/file-value.ts';
import type { BlobStore } from '../store.ts';

export class StoreUse {
  readonly #blobs: BlobStore;
  readonly #bytesMax: number | null;
  #counted: Promise<{ bytes: number }> | null = null;

  constructor(blobs: BlobStore, bytesMax: number | null) {
    this.#blobs = blobs;
    this.#bytesMax = bytesMax;
  }

  /** The quota in words, for refusals. */
  get quota(): string {
    return `all its files, earlier versions included, may take ${this.#bytesMax} bytes; those that no asset needs go some time after it`;
  }

  /** Whether there is room for a file; if so it is counted from now on. */
  async admits({ sha256, size }: FileRecord): Promise<boolean> {
    return this.#bytesMax === null || (await this.#blobs.size(sha256)) !== null || this.admitsBytes(size);
  }

  /** The same for bytes that are there under no digest: images in other sizes. */
  async admitsBytes(size: number): Promise<boolean> {
    if (this.#bytesMax === null) return true;
    const counted = await (this.#counted ??= this.#count());
    if (counted.bytes + size > this.#bytesMax) return false;
    counted.bytes += size;
    return true;
  }

  /** Files were removed: the next upload counts again. */
  countAgain(): void {
    this.#counted = null;
  }

  async #count(): Promise<{ bytes: number }> {
    try {
      return { bytes: await this.#blobs.bytes() };
    } catch (error) {
      this.#counted = null;
      throw error;
    }
  }
}
