/** A file out of the place of copies, which counts only when its bytes are those that its name says. */
import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { UNHURRIED } from '#storage/backup-set/restore-set.ts';
import { isSealed, openSealedFile } from '#storage/log-seal/file.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import type { CopyPlace } from './place.ts';

export interface FetchStored {
  readonly place: CopyPlace;
  readonly name: string;
  /** As the name says. */
  readonly sha256: string;
  readonly shard: number;
  /** Null where the log is not sealed. What was stored before it was lies there as it is. */
  readonly seal: LogSeal | null;
  /** The file that is made. What was fetched lies beside it for a moment. */
  readonly to: string;
  /** Asked while bytes come: rejects where the disk has no room for more. */
  readonly room?: (() => Promise<void>) | undefined;
}

const ROOM_EVERY_BYTES = 16 * 1024 * 1024;

/** The file is durable behind it. Rejects with CopyMissing, with an error that says what it is not, with Corruption, and with EngineRefused where the vault lacks its key. */
export async function fetchStored(work: FetchStored): Promise<void> {
  const fetched = `${work.to}.fetched`;
  try {
    if ((await fetchFile(work, fetched)) !== work.sha256) throw new Error('its bytes are not those that were stored');
    await opened(work, fetched);
  } finally {
    await rm(fetched, { force: true });
  }
}

async function opened({ seal, shard, to }: FetchStored, from: string): Promise<void> {
  if (!(await isSealed(from))) return renameSync(from, to);
  if (seal === null) throw new Error('it is sealed: set storage.journal.seal: vault, with the vault of this log');
  await openSealedFile({ seal, shard, from, to, pace: UNHURRIED });
}

/** Gives the digest of what was written; the file is durable then. */
async function fetchFile({ place, name, room }: FetchStored, path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  let unasked = 0;
  try {
    for await (const piece of place.read(name)) {
      unasked += piece.length;
      if (unasked >= ROOM_EVERY_BYTES) {
        await room?.();
        unasked = 0;
      }
      hash.update(piece);
      await file.writeFile(piece);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}
