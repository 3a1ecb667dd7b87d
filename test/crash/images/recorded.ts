/** A node under load, from its start to its end, as a recording of its disk. */
import { join } from 'node:path';
import { startProcess } from '#test/kit/process-node.ts';
import { Disk, entryAt, type Entry } from './disk.ts';
import type { Note } from './ledger.ts';
import { runLoad } from './load.ts';
import { addNote, readRecording, recorderFor, type Recorded } from './recording.ts';
import { makeSite, type Site } from './site.ts';

/** Rounds of the load before the recording, whose journals the recorded start replays, and of the recorded load. */
const BEFORE = 3;
const DURING = 14;

export interface RecordedNode {
  readonly site: Site;
  /** The data directory as the recorded start met it. */
  readonly before: Entry;
  readonly records: readonly Recorded[];
  /** Notes of what was answered before. */
  readonly notes: readonly Note[];
}

/** Serves, is killed, starts again while it is recorded, serves and ends in order. */
export async function recordNode(dir: string): Promise<RecordedNode> {
  const site = await makeSite(dir);
  const { serviceKey } = site;
  const notes: Note[] = [];
  const killed = await startProcess(site.platformAt(site.dir));
  try {
    await runLoad(killed, { serviceKey, rounds: BEFORE, name: 'b', note: (note) => void notes.push(note) });
  } finally {
    await killed.end('SIGKILL');
  }
  const before = entryAt(site.dataDir);
  const log = join(site.dir, 'recording');
  const node = await startProcess(site.platformAt(site.dir), recorderFor(site.dir, site.dataDir, log));
  let how: number | string = 'not';
  try {
    await runLoad(node, { serviceKey, rounds: DURING, name: 'd', note: (note) => addNote(log, note) });
  } finally {
    how = await node.end('SIGTERM');
  }
  if (how !== 0) throw new Error(`the recorded node ended ${how}: ${node.stderr()}`);
  return { site, before, records: readRecording(log), notes };
}

/** Files and directories in which the recording and the directory differ. None: it saw everything that the node did. */
export function unlikeDirectory({ site, before, records }: RecordedNode): string[] {
  const disk = new Disk(before);
  for (const record of records) disk.apply(record);
  const seen = new Map(disk.asSeen());
  const real = new Map(contentsOf(entryAt(site.dataDir)));
  const paths = new Set([...seen.keys(), ...real.keys()]);
  return [...paths].filter((path) => !isVolatile(path) && !isSame(seen.get(path), real.get(path)));
}

type Content = Buffer | null | undefined;
const isSame = (a: Content, b: Content): boolean =>
  a instanceof Buffer && b instanceof Buffer ? a.equals(b) : a === b;

function* contentsOf({ entries }: Entry, path = ''): Generator<readonly [path: string, bytes: Buffer | null]> {
  for (const [name, entry] of entries ?? []) {
    const below = join(path, name);
    yield [below, entry.bytes];
    yield* contentsOf(entry, below);
  }
}

/** LMDB's table of readers is a shared mapping, which no recorder sees; it begins anew at each opening. */
const isVolatile = (path: string): boolean => path.endsWith('lock.mdb');
