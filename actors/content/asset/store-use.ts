/**
 * How much of its quota the files of a store use. They are counted at the first upload, and again after each sweep; in between published
 * files are added. A file that the store has already adds nothing. Without a quota nothing is counted.
 */
import type { FileRecord } from '#config/values/file-value.ts';
import type { BlobStore } from '../store.ts';

export class StoreUse {
  readonly #blobs: BlobStore;
  readonly #bytesMax: number | null;
  readonly #reserved: () => Promise<number>;
  #counted: Promise<{ bytes: number }> | null = null;

  /** `reserved`: bytes of uploads that are under way, which may become files. */
  constructor(blobs: BlobStore, bytesMax: number | null, reserved: () => Promise<number> = () => Promise.resolve(0)) {
    this.#blobs = blobs;
    this.#bytesMax = bytesMax;
    this.#reserved = reserved;
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
    const reserved = await this.#reserved();
    const counted = await (this.#counted ??= this.#count());
    if (counted.bytes + reserved + size > this.#bytesMax) return false;
    counted.bytes += size;
    return true;
  }

  /** Whether there is room for so many bytes beside all others; nothing is counted. */
  async hasRoom(size: number): Promise<boolean> {
    if (this.#bytesMax === null) return true;
    const { bytes } = await (this.#counted ??= this.#count());
    return bytes + (await this.#reserved()) + size <= this.#bytesMax;
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
