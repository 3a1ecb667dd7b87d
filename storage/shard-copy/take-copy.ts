/**
 * Makes a copy of a shard that is served: LMDB's own compact copy of one moment, put into the place whole, and read back there. What it makes counts for nothing yet: `keep-copies.ts`
 * notes it in the log, and only then may entries go.
 */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readReach, type LogPlace } from '../applied.ts';
import { dataFile } from '../data-file.ts';
import { makeDirectory } from '../directory.ts';
import { openEnvironment } from '../environment.ts';
import type { Lookup } from '../port.ts';
import type { Pace } from '#storage/backup/pace.ts';
import type { SnapshotNote } from '#storage/log-engine/port.ts';
import { sealFile } from '#storage/log-seal/file.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { digestOfFile } from './file-digest.ts';
import { copyName, readCopyName, type CopyPlace } from './place.ts';
import { proveStored } from './prove-stored.ts';
import { assertRoom } from './scratch-room.ts';

export interface TakeCopy {
  readonly shard: number;
  /** The shard as it lies in LMDB. */
  readonly atRest: Pick<Lookup, 'get'>;
  /** Copies what LMDB has now into `data.mdb` of an empty directory. */
  readonly copyTo: (directory: string) => Promise<void>;
  /** The newest copy that the log knows; null where it knows none. */
  readonly newest: SnapshotNote | null;
  /** Where nothing is new: whether the newest copy is read again, since entries are to go behind it. */
  readonly provesOld: boolean;
  readonly place: CopyPlace;
  /** The copy is sealed by it; null, or absent, where it lies as it is. */
  readonly seal?: LogSeal | null | undefined;
  /** A directory on the disk of the data, for as long as this runs. */
  readonly scratch: string;
  /** What the disk of the scratch must keep free, and the bytes of the shard's file now. */
  readonly freeBytesMin: number;
  readonly fileBytes: number;
  readonly pace: Pace;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A copy that lies in its place, and that the log does not know yet. */
export interface MadeCopy extends SnapshotNote {
  readonly bytes: number;
}

/** Null where the newest copy has everything. Rejects where the place or the disk fails, and where what lies in the place is not what was put there. */
export async function takeCopy(work: TakeCopy): Promise<MadeCopy | null> {
  const { atRest, newest, provesOld, scratch } = work;
  const reach = readReach(atRest);
  if (reach === null || reach.whole.seq === 0) return null;
  if (newest !== null && reach.whole.seq <= newest.seq) {
    if (provesOld) await proveStored(work.place, newest.name, readCopyName(newest.name)?.sha256 ?? '', work.pace);
    return null;
  }
  const { fileBytes, seal = null } = work;
  await assertRoom(`a copy of shard ${work.shard}`, seal === null ? fileBytes : 2 * fileBytes, work);
  await rm(scratch, { recursive: true, force: true });
  try {
    return await taken(work);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function taken(work: TakeCopy): Promise<MadeCopy> {
  await work.copyTo(makeDirectory(work.scratch));
  await work.pace.rest();
  return storeCopy(work);
}

/** Puts the store that lies in the scratch into the place, under the name of what it says of itself, and reads it back. */
export async function storeCopy({
  shard,
  place,
  seal = null,
  scratch,
  pace,
  now,
}: Pick<TakeCopy, 'shard' | 'place' | 'seal' | 'scratch' | 'pace' | 'now'>): Promise<MadeCopy> {
  const { seq, chain } = await placeIn(scratch, shard);
  const plain = dataFile(scratch);
  const path = seal === null ? plain : join(scratch, 'sealed');
  if (seal !== null) await sealFile({ seal, shard, from: plain, to: path, pace });
  const sha256 = await digestOfFile(path, pace);
  const name = copyName({ shard, seq, chain, madeMs: now(), sha256 });
  await place.put(name, path);
  await proveStored(place, name, sha256, pace);
  return { seq, chain, name, bytes: (await stat(path)).size };
}

/** The newest entry that a copy has wholly, as its own file says. Rejects with PageDamage, Corruption, or an error that says what it is not. */
export async function placeIn(directory: string, shard: number): Promise<LogPlace> {
  const environment = openEnvironment(directory, { readOnly: true, onFatal: () => undefined });
  try {
    const reach = readReach(environment);
    if (reach === null) throw new Error(`the copy of shard ${shard} does not say how far it is in a log`);
    return reach.whole;
  } finally {
    await environment.close();
  }
}
