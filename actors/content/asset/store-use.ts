/**
 * What the files of a store take of its quota. The files are counted when the first upload asks, and again after each sweep; between the two
 * what is published is added. A file that lies there already takes nothing more. Without a quota nothing is counted.
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

  /** The quota in words, for who is refused. */
  get quota(): string {
    return `all its files, earlier versions included, may take ${this.#bytesMax} bytes; those that no asset needs go some time after it`;
  }

  /** Whether there is room for a file, which is counted from here on. */
  async admits({ sha256, size }: FileRecord): Promise<boolean> {
    if (this.#bytesMax === null || (await this.#blobs.size(sha256)) !== null) return true;
    const counted = await (this.#counted ??= this.#count());
    if (counted.bytes + size > this.#bytesMax) return false;
    counted.bytes += size;
    return true;
  }

  /** Files went: the next upload counts what is left. */
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
