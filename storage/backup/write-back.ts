/** Writes a backup into an empty store, in commits of bounded size. The registry keeps readers away until the store is whole. */
import { limits } from '#config/limits.ts';
import type { BlobStore, BlobUpload } from '#storage/blob/port.ts';
import { isFull } from '../fault.ts';
import type { Bytes, Store, Turn } from '../port.ts';
import { BackupFault, type BackupHeader, type BackupTotals, type NoteFrame } from './format.ts';
import type { Pace } from './pace.ts';
import { readBackup } from './read-backup.ts';

export interface Verified {
  readonly header: BackupHeader;
  readonly totals: BackupTotals;
  /** SHA-256 of the file without its digest, hex. */
  readonly digest: string;
}

/** Reads a backup to its end and writes nothing. Throws BackupFault when anything of it is not as it was written. */
export async function verifyBackup(path: string, pace: Pace): Promise<Verified> {
  let header: BackupHeader | null = null;
  for await (const part of readBackup(path)) {
    if (part.kind === 'header') header = part.header;
    if (part.kind === 'entries') pace.did(part.entries.length);
    if (part.kind === 'end') return { header: header!, totals: part.totals, digest: part.digest };
    if (pace.over) await pace.rest();
  }
  throw new BackupFault(path, 'has no end');
}

/** Writes a verified backup; resolves when all of it is durable. Throws BackupFault when the file is no longer the verified one. */
export async function writeBack(
  path: string,
  digest: string,
  store: Store,
  blobsOf: (store: string | undefined) => BlobStore,
  pace: Pace,
): Promise<BackupTotals> {
  const rows = new PacedWrites(store, pace);
  let upload: BlobUpload | null = null;
  try {
    for await (const part of readBackup(path)) {
      if (part.kind === 'entries') for (const [key, value] of part.entries) await rows.put(key, value);
      else if (part.kind === 'note') await writeNote(path, part.note, blobsOf(part.note.store), pace);
      else if (part.kind === 'blob') upload = await blobsOf(part.blob.store).begin();
      else if (part.kind === 'piece') upload = await writePiece(upload!, part.bytes, part.last);
      else if (part.kind === 'end') {
        if (part.digest !== digest) throw new BackupFault(path, 'has changed since it was verified');
        await rows.durable();
        return part.totals;
      }
      if (pace.over) await pace.rest();
    }
  } finally {
    await upload?.drop();
  }
  throw new BackupFault(path, 'has no end');
}

async function writeNote(
  path: string,
  { store, name, text }: NoteFrame,
  { notes }: BlobStore,
  pace: Pace,
): Promise<void> {
  if (notes === null)
    throw new BackupFault(
      path,
      `has an index of files for the content store ${store}, which lies in a bucket here: give it a directory`,
    );
  await notes.write(name, text);
  pace.did(1);
}

async function writePiece(upload: BlobUpload, bytes: Uint8Array, last: boolean): Promise<BlobUpload | null> {
  await upload.write(bytes);
  if (!last) return upload;
  await upload.seal();
  await upload.publish();
  return null;
}

/** Writes that wait for LMDB before the callers of other tenants would have to. */
export class PacedWrites {
  readonly #store: Store;
  readonly #pace: Pace;
  #turn: Turn | null = null;
  #entries = 0;
  #bytes = 0;
  #newest = 0;

  constructor(store: Store, pace: Pace) {
    this.#store = store;
    this.#pace = pace;
  }

  put(key: Bytes, value: Uint8Array): Promise<void> | undefined {
    this.#open().put(key, value);
    return this.#staged(key.length + value.length);
  }

  del(key: Bytes): Promise<void> | undefined {
    this.#open().del(key);
    return this.#staged(key.length);
  }

  /** Commits what is staged and resolves when all of it is durable. */
  async durable(): Promise<void> {
    await this.#commit();
    await new Promise<void>((resolve) => this.#store.whenDurable(this.#newest, resolve));
  }

  #open(): Turn {
    return (this.#turn ??= this.#store.begin());
  }

  #staged(bytes: number): Promise<void> | undefined {
    this.#entries++;
    this.#bytes += bytes;
    const { commitEntries, commitBytes } = limits.backup;
    return this.#entries < commitEntries && this.#bytes < commitBytes ? undefined : this.#commit();
  }

  async #commit(): Promise<void> {
    if (this.#turn === null) return;
    while (this.#store.pressure > limits.backup.pressureMax || !this.#joined(this.#turn))
      await this.#pace.wait(limits.backup.waitMs);
    this.#newest = this.#turn.newest;
    this.#turn = null;
    this.#pace.did(this.#entries);
    this.#entries = 0;
    this.#bytes = 0;
    if (this.#pace.over) await this.#pace.rest();
  }

  /** False when the overlay is full, which passes. A full disk does not: it is thrown. */
  #joined(turn: Turn): boolean {
    try {
      turn.commit();
      return true;
    } catch (error) {
      if (isFull(error)) return false;
      throw error;
    }
  }
}
