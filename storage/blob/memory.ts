/** Blobs in a map: for behaviour tests, and the second reader of the port. */
import { createHash } from 'node:crypto';
import type { BlobStore, BlobUpload, Digest, IsUsed } from './port.ts';

interface Kept {
  readonly bytes: Buffer;
  readonly touchedMs: number;
}

export class MemoryBlobs implements BlobStore {
  readonly #blobs = new Map<Digest, Kept>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get count(): number {
    return this.#blobs.size;
  }

  begin(): Promise<BlobUpload> {
    const pieces: Uint8Array[] = [];
    let sealed: { sha256: Digest; bytes: Buffer } | null = null;
    return Promise.resolve({
      write: async (bytes) => void pieces.push(new Uint8Array(bytes)),
      seal: async () => {
        const bytes = Buffer.concat(pieces);
        sealed = { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
        return { sha256: sealed.sha256, size: bytes.length };
      },
      publish: async () => {
        if (sealed === null) throw new Error('an upload is sealed before it is published');
        this.#blobs.set(sealed.sha256, { bytes: sealed.bytes, touchedMs: this.#now() });
      },
      drop: async () => undefined,
    });
  }

  size(sha256: Digest): Promise<number | null> {
    return Promise.resolve(this.#blobs.get(sha256)?.bytes.length ?? null);
  }

  async *read(sha256: Digest, from: number, to: number): AsyncGenerator<Uint8Array> {
    const kept = this.#blobs.get(sha256);
    if (kept === undefined) throw new Error(`no blob ${sha256}`);
    if (to > from) yield new Uint8Array(kept.bytes.subarray(from, to));
  }

  async sweep(beforeMs: number, isUsed: IsUsed): Promise<number> {
    let removed = 0;
    for (const [sha256, { touchedMs }] of this.#blobs) {
      if (touchedMs >= beforeMs || (await isUsed(sha256))) continue;
      if (this.#blobs.get(sha256)!.touchedMs !== touchedMs) continue;
      this.#blobs.delete(sha256);
      removed++;
    }
    return removed;
  }
}
