/** Blobs in a map: for behaviour tests, and the second reader of the port. */
import { createHash } from 'node:crypto';
import { MemoryPartials } from '#storage/blob/memory-partials.ts';
import { sweepDerived } from '#storage/blob/derived.ts';
import { Holds } from '#storage/blob/holds.ts';
import type { BlobStore, BlobUpload, DerivedFiles, Digest, IsUsed, NoteStore } from '#storage/blob/port.ts';

interface Kept {
  readonly bytes: Buffer;
  readonly touchedMs: number;
}

class MemoryNotes implements NoteStore {
  readonly #notes = new Map<string, string>();

  names(): Promise<string[]> {
    return Promise.resolve([...this.#notes.keys()]);
  }

  read(name: string): Promise<string | null> {
    return Promise.resolve(this.#notes.get(name) ?? null);
  }

  async write(name: string, text: string): Promise<void> {
    this.#notes.set(name, text);
  }

  async remove(name: string): Promise<void> {
    this.#notes.delete(name);
  }

  placeOf(name: string): string {
    return `memory:${name}`;
  }

  clear(): void {
    this.#notes.clear();
  }
}

class MemoryDerived implements DerivedFiles {
  readonly #files = new Map<Digest, Map<string, Uint8Array>>();

  read(of: Digest, name: string): Promise<Uint8Array | null> {
    return Promise.resolve(this.#files.get(of)?.get(name) ?? null);
  }

  async write(of: Digest, name: string, bytes: Uint8Array): Promise<void> {
    const files = this.#files.get(of) ?? new Map<string, Uint8Array>();
    this.#files.set(of, files);
    files.set(name, new Uint8Array(bytes));
  }

  names(of: Digest): Promise<string[]> {
    return Promise.resolve([...(this.#files.get(of)?.keys() ?? [])]);
  }

  async removeOne(of: Digest, name: string): Promise<void> {
    this.#files.get(of)?.delete(name);
  }

  remove(of: Digest): void {
    this.#files.delete(of);
  }

  async *digests(): AsyncGenerator<Digest> {
    yield* this.#files.keys();
  }

  bytes(): Promise<number> {
    const files = [...this.#files.values()].flatMap((one) => [...one.values()]);
    return Promise.resolve(files.reduce((sum, { byteLength }) => sum + byteLength, 0));
  }

  async erase(): Promise<void> {
    this.#files.clear();
  }
}

export class MemoryBlobs implements BlobStore {
  readonly notes = new MemoryNotes();
  readonly derived = new MemoryDerived();
  readonly partials = new MemoryPartials();
  readonly #blobs = new Map<Digest, Kept>();
  readonly #now: () => number;
  readonly #holds = new Holds();

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

  async sweep(beforeMs: number, isUsed: IsUsed, yieldTurn: () => Promise<void>): Promise<number> {
    let removed = 0;
    for (const [sha256, { touchedMs }] of this.#blobs) {
      if (touchedMs >= beforeMs || (await isUsed(sha256))) continue;
      if (this.#holds.any || this.#blobs.get(sha256)!.touchedMs !== touchedMs) continue;
      this.#blobs.delete(sha256);
      this.derived.remove(sha256);
      removed++;
    }
    await sweepDerived(this.derived, (sha256) => Promise.resolve(this.#blobs.has(sha256)), yieldTurn);
    return removed;
  }

  async bytes(): Promise<number> {
    const own = [...this.#blobs.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
    return own + (await this.derived.bytes());
  }

  async *digests(): AsyncGenerator<Digest> {
    yield* this.#blobs.keys();
  }

  hold(): () => void {
    return this.#holds.take();
  }

  async erase(): Promise<void> {
    this.#blobs.clear();
    this.notes.clear();
    await this.derived.erase();
    await this.partials.erase();
  }
}
