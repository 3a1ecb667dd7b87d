/**
 * Blobs in a directory: `<root>/<first two digits>/<sha256>`, uploads in `<root>/uploads/`, notes in `<root>/index/`, files made of blobs
 * in `<root>/derived/`, files that come in several requests in `<root>/partial/`. A blob gets its name by a rename
 * over whatever lies there, which has the same bytes: its time of change is then that of the newest upload.
 */
import { createHash, randomUUID, type Hash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Directories, makeDirectory, syncDirectoryAsync } from '../directory.ts';
import { StorageFull } from '../fault.ts';
import { DirectoryDerived, sweepDerived } from './derived.ts';
import { DirectoryNotes } from './directory-notes.ts';
import { Holds } from './holds.ts';
import type { BlobReceipt, BlobStore, BlobUpload, Digest, IsUsed } from './port.ts';
import { DirectoryPartials } from './partial.ts';
import { roomFor } from './room-for.ts';

const UPLOADS = 'uploads';
const NOTES = 'index';
const DERIVED = 'derived';
const PARTIAL = 'partial';
const READ_BYTES = 64 * 1024;
const FAN_OUT = /^[0-9a-f]{2}$/;

/** Whether the disk has room for so many bytes; they are counted then. */
export type AdmitsBytes = (bytes: number) => boolean;

/** The blobs under a directory, which is made when the first one comes. Uploads leave free what `admits` keeps: rows need it. */
export class DirectoryBlobs implements BlobStore {
  readonly #root: string;
  readonly notes: DirectoryNotes;
  readonly derived: DirectoryDerived;
  readonly partials: DirectoryPartials;
  readonly #admits: AdmitsBytes;
  readonly #holds = new Holds();
  readonly #directories = new Directories();

  constructor(root: string, admits: AdmitsBytes = () => true) {
    this.#root = root;
    this.#admits = admits;
    this.notes = new DirectoryNotes(join(root, NOTES), join(root, UPLOADS));
    this.derived = new DirectoryDerived(join(root, DERIVED), join(root, UPLOADS), admits);
    this.partials = new DirectoryPartials(join(root, PARTIAL), join(root, UPLOADS), admits);
  }

  async begin(): Promise<BlobUpload> {
    const path = join(makeDirectory(join(this.#root, UPLOADS)), randomUUID());
    const handle = await roomFor(open(path, 'wx', 0o600));
    return new DirectoryUpload(handle, path, (sha256) => this.#place(sha256), this.#admits);
  }

  async size(sha256: Digest): Promise<number | null> {
    try {
      return (await stat(this.#pathOf(sha256))).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async *read(sha256: Digest, from: number, to: number): AsyncGenerator<Uint8Array> {
    const handle = await open(this.#pathOf(sha256), 'r');
    try {
      for (let at = from; at < to;) {
        const piece = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, to - at));
        const { bytesRead } = await handle.read(piece, 0, piece.length, at);
        if (bytesRead === 0) throw new Error(`blob ${sha256} ends at ${at}, not at ${to}`);
        at += bytesRead;
        yield bytesRead === piece.length ? piece : piece.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  async sweep(beforeMs: number, isUsed: IsUsed, yieldTurn: () => Promise<void>): Promise<number> {
    let removed = 0;
    for (const name of namesIn(this.#root)) {
      if (name !== UPLOADS && !FAN_OUT.test(name)) continue;
      const directory = join(this.#root, name);
      for (const file of namesIn(directory)) {
        const path = join(directory, file);
        const isUnused = isOlder(path, beforeMs) && (name === UPLOADS || !(await isUsed(file)));
        if (isUnused && !this.#holds.any && isOlder(path, beforeMs)) {
          rmSync(path, { force: true });
          if (name !== UPLOADS) this.derived.remove(file);
          removed++;
        }
        await yieldTurn();
      }
    }
    await sweepDerived(this.derived, async (sha256) => (await this.size(sha256)) !== null, yieldTurn);
    return removed;
  }

  async bytes(): Promise<number> {
    let bytes = await this.derived.bytes();
    for await (const sha256 of this.digests()) bytes += (await this.size(sha256)) ?? 0;
    return bytes;
  }

  async *digests(): AsyncGenerator<Digest> {
    for (const name of namesIn(this.#root)) if (FAN_OUT.test(name)) yield* namesIn(join(this.#root, name));
  }

  hold(): () => void {
    return this.#holds.take();
  }

  async erase(): Promise<void> {
    if (!existsSync(this.#root)) return;
    await rm(this.#root, { recursive: true, force: true });
    await syncDirectoryAsync(join(this.#root, '..'));
  }

  #pathOf(sha256: Digest): string {
    return join(this.#root, sha256.slice(0, 2), sha256);
  }

  #place(sha256: Digest): string {
    return join(this.#directories.make(join(this.#root, sha256.slice(0, 2))), sha256);
  }
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

function isOlder(path: string, beforeMs: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.mtimeMs < beforeMs;
}

class DirectoryUpload implements BlobUpload {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #place: (sha256: Digest) => string;
  readonly #admits: AdmitsBytes;
  readonly #hash: Hash = createHash('sha256');
  #size = 0;
  #sha256: Digest | null = null;
  #closed = false;

  constructor(handle: FileHandle, path: string, place: (sha256: Digest) => string, admits: AdmitsBytes) {
    this.#admits = admits;
    this.#handle = handle;
    this.#path = path;
    this.#place = place;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#admits(bytes.byteLength)) throw new StorageFull('disk');
    this.#hash.update(bytes);
    this.#size += bytes.byteLength;
    await roomFor(this.#handle.writeFile(bytes));
  }

  async seal(): Promise<BlobReceipt> {
    await roomFor(this.#handle.sync());
    await this.#close();
    this.#sha256 ??= this.#hash.digest('hex');
    return { sha256: this.#sha256, size: this.#size };
  }

  async publish(): Promise<void> {
    if (this.#sha256 === null) throw new Error('an upload is sealed before it is published');
    const path = this.#place(this.#sha256);
    await rename(this.#path, path);
    await syncDirectoryAsync(join(path, '..'));
  }

  async drop(): Promise<void> {
    await this.#close();
    await rm(this.#path, { force: true });
  }

  async #close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#handle.close();
  }
}
