/**
 * How much the files of a store use of its quota and of its tenant's (tenant-files.ts). They are counted at the first upload, and again after each
 * sweep; in between published files are added. A file that the store has already adds nothing. Without a quota nothing is counted.
 */
import type { FileRecord } from '#config/values/file-value.ts';
import type { BlobStore } from '../store.ts';
import type { Held, TenantFiles } from './tenant-files.ts';

export interface StoreUseParts {
  readonly blobs: BlobStore;
  /** The most that all files of the store may take; null: no quota of its own. */
  readonly bytesMax: number | null;
  /** Bytes of uploads that are under way, which may become files. */
  readonly reserved: () => Promise<number>;
  readonly tenant: TenantFiles;
}

export class StoreUse {
  readonly #parts: StoreUseParts;
  #counted: Promise<{ bytes: number }> | null = null;

  constructor(parts: StoreUseParts) {
    this.#parts = parts;
  }

  /** Null when there is room for a file, which is counted from now on; else the quota that has none, in words. */
  async admit({ sha256, size }: FileRecord): Promise<string | null> {
    if (!this.#isBounded || (await this.#parts.blobs.size(sha256)) !== null) return null;
    return this.admitBytes(size);
  }

  /** The same for bytes that are there under no digest: images in other sizes. */
  async admitBytes(size: number): Promise<string | null> {
    if (!this.#isBounded) return null;
    const own = await this.held();
    const all = await this.#parts.tenant.held();
    const full = this.#full(own, all, size);
    if (full === null) own.counted.bytes += size;
    this.#parts.tenant.tell(all);
    return full;
  }

  /** Null when there is room for so many bytes beside all others, else the quota that has none; nothing is counted. */
  async roomFor(size: number): Promise<string | null> {
    if (!this.#isBounded) return null;
    const own = await this.held();
    return this.#full(own, await this.#parts.tenant.held(), size);
  }

  async held(): Promise<Held> {
    const reserved = await this.#parts.reserved();
    return { reserved, counted: await (this.#counted ??= this.#count()) };
  }

  /** Files were removed: the next upload counts again. */
  countAgain(): void {
    this.#counted = null;
  }

  get #isBounded(): boolean {
    return this.#parts.bytesMax !== null || this.#parts.tenant.isBounded;
  }

  #full(own: Held, all: readonly Held[], size: number): string | null {
    const { bytesMax, tenant } = this.#parts;
    if (bytesMax !== null && own.counted.bytes + own.reserved + size > bytesMax)
      return `all its files, earlier versions included, may take ${bytesMax} bytes; those that no asset needs go some time after it`;
    return tenant.full(all, size);
  }

  async #count(): Promise<{ bytes: number }> {
    try {
      return { bytes: await this.#parts.blobs.bytes() };
    } catch (error) {
      this.#counted = null;
      throw error;
    }
  }
}
