/**
 * A shard's store where a node starts without one, or with one that is older than what the log still has: the newest good copy is fetched, checked, and put in place by one rename. The log goes
 * on from there (../engine-journals/bring-up.ts), and compares the chain of its entries with the copy's.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readApplied, readReach } from '../applied.ts';
import { dataFile } from '../data-file.ts';
import { keepPrivate, makeDirectory, syncDirectory } from '../directory.ts';
import { openEnvironment } from '../environment.ts';
import { EngineRefused, type LogEngine, type SnapshotNote } from '#storage/log-engine/port.ts';
import { untilKnown, type Pause } from '#storage/log-engine/until-known.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { fetchStored } from './fetch-stored.ts';
import { readCopyName, type CopyPlace } from './place.ts';
import { placeIn } from './take-copy.ts';

export interface BringBack {
  readonly engine: Pick<LogEngine, 'look'>;
  readonly shard: number;
  /** The directory of the shard's environment, which is not open. */
  readonly path: string;
  /** A directory on the same file system, for as long as this runs. */
  readonly scratch: string;
  /** Null where no place of copies is named. */
  readonly place: CopyPlace | null;
  /** Opens copies that are sealed; null, or absent, where the log is not. */
  readonly seal?: LogSeal | null | undefined;
  /** Between two calls of which the first had no outcome; rejects to give up. */
  readonly pause: Pause;
}

/** What was done: `note` is the copy that lies there now, null where the store stayed as it was; `faults`: copies that were tried before, and why they could not be used. */
export interface BroughtBack {
  readonly note: SnapshotNote | null;
  readonly faults: readonly string[];
}

/** Rejects with EngineRefused where the store misses entries that are gone, and no copy has them: the message says what to do. */
export async function bringBack(work: BringBack): Promise<BroughtBack> {
  const { engine, shard, path, place, pause } = work;
  const here = await seqOf(path);
  const { snapshots, trimmed } = await untilKnown(() => engine.look(shard), pause);
  if (here !== null && here >= trimmed) return { note: null, faults: [] };
  const faults: string[] = [];
  const usable = snapshots.filter(({ seq }) => seq >= trimmed);
  for (const note of place === null ? [] : usable) {
    try {
      await fetchCopy(work, place!, note);
      return { note, faults };
    } catch (error) {
      faults.push(`${note.name}: ${(error as Error).message}`);
    } finally {
      await rm(work.scratch, { recursive: true, force: true });
    }
  }
  if ((here ?? 0) >= trimmed) return { note: null, faults };
  throw new EngineRefused(refusal(work, here, trimmed, faults));
}

function refusal({ shard, path, place }: BringBack, here: number | null, trimmed: number, faults: string[]): string {
  const has = here === null ? 'there is no store' : `the store ends at entry ${here}`;
  const why =
    place === null
      ? 'and the platform file names no place of copies (storage.journal.snapshots)'
      : faults.length === 0
        ? `and the log knows no copy in ${place.where}`
        : `and no copy in ${place.where} can be used: ${faults.join('; ')}`;
  return (
    `shard ${shard}: ${has} in ${path}, entries up to ${trimmed} of the log are gone, ${why}\n` +
    '    nothing was claimed or changed. Bring the place of copies back as it was, or the data directory of the node that served last; then start again'
  );
}

/** The newest entry that the store has wholly: null where there is none, infinite for a store of files, which the opening refuses. Throws Corruption and PageDamage. */
async function seqOf(path: string): Promise<number | null> {
  if (!existsSync(dataFile(path))) return null;
  const environment = openEnvironment(path, { onFatal: () => undefined });
  try {
    const reach = readReach(environment);
    if (reach !== null) return reach.whole.seq;
    return readApplied(environment).epoch > 0 ? Number.POSITIVE_INFINITY : null;
  } finally {
    await environment.close();
  }
}

async function fetchCopy(work: BringBack, place: CopyPlace, note: SnapshotNote): Promise<void> {
  const { shard, path, scratch } = work;
  const said = readCopyName(note.name);
  if (said?.shard !== shard || said.seq !== note.seq || said.chain !== note.chain)
    throw new Error('the name that the log has of it is not one of this shard and entry');
  await rm(scratch, { recursive: true, force: true });
  const file = dataFile(makeDirectory(scratch));
  await fetchStored({ place, name: note.name, sha256: said.sha256, shard, seal: work.seal ?? null, to: file });
  const { seq, chain } = await placeIn(scratch, shard);
  if (seq !== note.seq || chain !== note.chain)
    throw new Error(`it is at entry ${seq} of another log, or of another place in this one`);
  putInPlace(file, path);
}

/** One rename: a crash leaves the old store or the copy. LMDB makes its lock file anew. */
function putInPlace(file: string, path: string): void {
  makeDirectory(path);
  keepPrivate(file);
  rmSync(join(path, 'lock.mdb'), { force: true });
  renameSync(file, dataFile(path));
  syncDirectory(path);
}
