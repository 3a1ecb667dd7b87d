/**
 * How far a data directory had come, in a file outside of it (`storage.mark`). A directory that was replaced by an older copy, journals
 * included, shows no damage: only a record outside of the copy can reveal it. The mark never says more than was durable.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readApplied } from './applied.ts';
import type { JournalReach } from './archive-cells.ts';
import { syncDirectory, syncDirectoryAsync } from './directory.ts';
import { Corruption } from './fault.ts';
import { findShards, withShard } from './inspect.ts';
import { epochOf, findJournals, lastEpoch } from './journal/directories.ts';
import { readJournal } from './journal/replay.ts';

export interface OutsideMark {
  /** The id of the directory that the mark is about. */
  readonly id: string;
  /** The last epoch that was given. */
  readonly epoch: number;
  /** The journals that were open, and how far each was durable. */
  readonly reached: readonly JournalReach[];
}

/** Why a directory may not be served. */
class DirectoryOlder extends Error {
  constructor(dataDir: string, path: string, why: string) {
    super(
      `${dataDir} is not what its mark ${path} knows: ${why}\n` +
        '    serve the newer directory if there is one: what was acknowledged after this copy is missing here\n' +
        `    if this one was put back on purpose: skep storage accept ${dataDir} --mark ${path}`,
    );
  }
}

const idPath = (dataDir: string): string => join(dataDir, 'id');

/** The name that a directory got when it was marked first; null where it never was. */
function readId(dataDir: string): string | null {
  const path = idPath(dataDir);
  const id = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  return id === '' ? null : id;
}

function writeId(dataDir: string, id: string): void {
  writeFileSync(idPath(dataDir), `${id}\n`, { mode: 0o600, flush: true });
  syncDirectory(dataDir);
}

/** The mark at `path`, null where there is none. Throws where it cannot be read. */
export function readOutsideMark(path: string): OutsideMark | null {
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'utf8');
  const end = text.indexOf('\n') + 1;
  if (end === 0 || text.slice(end).trim() !== sumOf(text.slice(0, end)))
    throw new Corruption(path, 'the mark is torn, or was changed by hand');
  return JSON.parse(text.slice(0, end)) as OutsideMark;
}

const sumOf = (line: string): string => crc32(line).toString(16).padStart(8, '0');

/** Replaces the mark, whole or not at all; durable when it resolves. Its directory must be there: a disk that is not mounted has none. */
export async function writeOutsideMark(path: string, { id, epoch, reached }: OutsideMark): Promise<void> {
  const line = `${JSON.stringify({ id, epoch, reached })}\n`;
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${line}${sumOf(line)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncDirectoryAsync(dirname(path));
}

/**
 * Compares a directory with its mark, before anything in it is touched. Gives the directory's id. Throws DirectoryOlder. A directory that
 * was served without its mark since then is accepted: the mark says nothing about that time.
 */
export async function compareWithMark(dataDir: string, path: string): Promise<string> {
  const mark = readOutsideMark(path);
  const id = readId(dataDir);
  const epoch = lastEpoch(dataDir);
  if (mark === null) {
    if (id !== null && epoch > 0)
      throw new DirectoryOlder(
        dataDir,
        path,
        'the directory was marked before, and the mark is not there: is its disk mounted?',
      );
    return (await acceptDirectory(dataDir, path)).id;
  }
  if (mark.epoch > epoch)
    throw new DirectoryOlder(
      dataDir,
      path,
      `it is an earlier copy, of start ${epoch}, and ${mark.epoch} starts were counted`,
    );
  if (id === null && mark.epoch === epoch && mark.reached.length === 0) writeId(dataDir, mark.id); // the first marking ended there
  else if (id !== mark.id) throw new DirectoryOlder(dataDir, path, 'the mark is of another directory');
  if (mark.epoch === epoch) await compareReach(dataDir, path, mark.reached);
  return mark.id;
}

/** The directory is of the run that wrote the mark: it must hold what was durable then. */
async function compareReach(dataDir: string, path: string, reached: readonly JournalReach[]): Promise<void> {
  const due = reached.filter(({ number }) => number > 0);
  if (due.length === 0) return;
  const found = await reachedIn(dataDir);
  for (const { epoch, number } of due) {
    const here = found.get(epoch) ?? 0;
    if (here < number)
      throw new DirectoryOlder(
        dataDir,
        path,
        `it ends at record ${here} of journal ${epoch}, and record ${number} was durable`,
      );
  }
}

/** The newest record of each epoch that the directory holds, in a journal or in LMDB. Damage to a journal is reported by its replay. */
async function reachedIn(dataDir: string): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  const see = (epoch: number, number: number): void => void found.set(epoch, Math.max(found.get(epoch) ?? 0, number));
  for (const journal of findJournals(dataDir)) {
    try {
      for (const { epoch, number } of readJournal(journal)) see(epoch, number);
    } catch (error) {
      if (!(error instanceof Corruption)) throw error;
      see(epochOf(journal), Number.POSITIVE_INFINITY);
    }
  }
  for (const no of findShards(dataDir)) {
    const { epoch, number } = await withShard(dataDir, no, readApplied);
    see(epoch, number);
  }
  return found;
}

/** Takes a stopped directory as it is: the mark knows it from now on. Throws for people where the mark cannot be written. */
export async function acceptDirectory(dataDir: string, path: string): Promise<OutsideMark> {
  const known = readId(dataDir);
  const mark = { id: known ?? randomUUID(), epoch: lastEpoch(dataDir), reached: [] };
  try {
    await writeOutsideMark(path, mark);
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(
      `the mark ${path} cannot be written: ${why}\n    mount its disk, or name another file (storage.mark)`,
      {
        cause: error,
      },
    );
  }
  if (known === null) writeId(dataDir, mark.id);
  return mark;
}
