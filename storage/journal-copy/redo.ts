/** Brings a store that was restored from a backup forward to a later moment, with the records that the journal's copy has of it. */
import type { Decrypt } from '#storage/backup-set/encryption.ts';
import type { Pace } from '#storage/backup/pace.ts';
import { BackupFault } from '#storage/backup/format.ts';
import { recordWrites, type JournalRecord, type JournalWrite } from '#storage/journal/record.ts';
import type { Bytes } from '../port.ts';
import { chunkRecords, decodeChunk, readChunkName, type Chunk, type ChunkName } from './chunk.ts';
import type { ChunkPlace } from './copier.ts';
import type { Gap } from './tail.ts';

/** The moment of a backup: what it shows of its shard's journals. */
export interface RedoFrom {
  readonly shard: number;
  /** Of all physical keys of the store. */
  readonly prefix: Bytes;
  readonly epoch: number;
  /** The newest record that the backup shows, of the journal with that epoch. */
  readonly number: number;
  /** When the backup was begun, in milliseconds. */
  readonly beganMs: number;
}

export interface RedoWish {
  readonly place: ChunkPlace;
  readonly from: RedoFrom;
  /** Null where no identity was given. */
  readonly decrypt: Decrypt | null;
  /** The moment to be reached, in milliseconds. */
  readonly untilMs: number;
  /** Takes a write; the key is relative to the store, null deletes. Resolves when the next one may come. */
  readonly write: (key: Bytes, value: Uint8Array | null) => Promise<void> | undefined;
  /**
   * Sees every write that the copy has of what follows the backup, physical keys included, up to the moment; `momentMs`: of its chunk. It
   * throws where the store cannot be brought there. Before anything is written.
   */
  readonly watch?: (record: JournalRecord, write: JournalWrite, momentMs: number) => void;
  readonly pace: Pace;
}

export interface Redone {
  /** Records that had writes of the store. */
  readonly records: number;
  /** Everything that was durable by then is there, and nothing of later; milliseconds. */
  readonly momentMs: number;
}

/**
 * Applies what was written after the backup and by `untilMs`. Throws BackupFault, before anything is written, where the copy does not reach
 * from the one to the other, and at a chunk that is damaged.
 */
export async function redo(wish: RedoWish): Promise<Redone> {
  const names = (await wish.place.chunks()).flatMap((name) => readChunkName(name) ?? []);
  const chosen = chunksBetween(names, { ...wish, untilMs: await momentShown(names, wish) });
  const checked: ChunkName[] = [];
  for (const name of chosen.slice(1)) {
    const chunk = await readChunk(wish.place, name);
    for (const gap of chunk.head.gaps) refuseGap(gap, wish, name);
    if (chunk.head.pieces.length > 0) checked.push(name);
    await look(chunk, name, wish);
  }
  let records = 0;
  for (const name of checked) records += await apply(name, wish);
  return { records, momentMs: chosen.at(-1)!.moment };
}

/** Shows a chunk's writes to the one that watches, if there is one. */
async function look(chunk: Chunk, name: ChunkName, { decrypt, pace, place, watch }: RedoWish): Promise<void> {
  if (watch === undefined) return pace.over ? pace.rest() : undefined;
  for await (const record of chunkRecords(chunk, labelOf(place, name), decrypt)) {
    for (const write of recordWrites(record)) watch(record, write, name.moment);
    if (pace.over) await pace.rest();
  }
}

const instant = (ms: number): string => new Date(ms).toISOString();

/** The newest chunk from before the backup, then every later one up to the moment. */
function chunksBetween(
  names: readonly ChunkName[],
  { place, from, untilMs }: Pick<RedoWish, 'place' | 'from' | 'untilMs'>,
): readonly ChunkName[] {
  const reached = names.filter(({ moment }) => moment <= untilMs);
  // A chunk whose answer was lost was stored again under its number: the later one has what the earlier one has, and more.
  const known = reached.filter(({ seq }, i) => seq !== reached[i + 1]?.seq);
  const start = known.findLastIndex(({ moment }) => moment <= from.beganMs);
  if (start === -1) {
    const begins = names[0] === undefined ? 'is empty' : `begins at ${instant(names[0].moment)}`;
    const mend = 'use a later set, or restore the set itself (without --at)';
    throw new BackupFault(
      place.where,
      `the copy of the journal ${begins}, after the backup of ${instant(from.beganMs)}: ${mend}`,
    );
  }
  const chosen = known.slice(start);
  const hole = chosen.findIndex(({ seq }, i) => seq !== chosen[0]!.seq + i);
  if (hole !== -1) {
    const mend = `the latest moment before it is ${instant(chosen[hole - 1]!.moment)}`;
    throw new BackupFault(place.where, `the chunk ${chosen[0]!.seq + hole} of the journal's copy is missing: ${mend}`);
  }
  return chosen;
}

/** The last moment up to the wished one that a chunk shows: a copier that has to catch up takes what there is. That of the backup, where none does. */
async function momentShown(names: readonly ChunkName[], { place, from, untilMs }: RedoWish): Promise<number> {
  for (const name of names.toReversed()) {
    if (name.moment > untilMs) continue;
    if (name.moment <= from.beganMs) break;
    if ((await readChunk(place, name)).head.complete) return name.moment;
  }
  return from.beganMs;
}

/** A gap matters unless the backup shows what it lost. */
function refuseGap(gap: Gap, { place, from }: RedoWish, name: ChunkName): void {
  const epoch = Number(gap.journal.slice(0, 10));
  if (epoch < from.epoch || (epoch === from.epoch && gap.to !== null && gap.to <= from.number)) return;
  const mend = 'use a set from after it, or an earlier moment';
  throw new BackupFault(
    place.where,
    `the copy of the journal lost records before ${instant(name.moment)} (${gap.journal}, from record ${gap.from}): ${mend}`,
  );
}

const labelOf = (place: ChunkPlace, { name }: Pick<ChunkName, 'name'>): string =>
  `${place.where}: chunk ${name} of the journal's copy`;

async function readChunk(place: ChunkPlace, { name, seq }: ChunkName): Promise<Chunk> {
  const label = labelOf(place, { name });
  const bytes = await place.readChunk(name);
  if (bytes === null) throw new BackupFault(label, 'is missing: restore to a moment before it');
  const chunk = decodeChunk(bytes, label);
  if (chunk.head.seq !== seq)
    throw new BackupFault(label, `is number ${chunk.head.seq}: restore to a moment before it`);
  return chunk;
}

async function apply(name: ChunkName, { decrypt, place, from, write, pace }: RedoWish): Promise<number> {
  const chunk = await readChunk(place, name);
  let applied = 0;
  for await (const record of chunkRecords(chunk, labelOf(place, name), decrypt)) {
    if (record.shard !== from.shard || isShown(record, from)) continue;
    let isOurs = false;
    for (const { key, value } of recordWrites(record)) {
      if (!key.startsWith(from.prefix)) continue;
      isOurs = true;
      const wait = write(key.slice(from.prefix.length), value);
      if (wait !== undefined) await wait;
    }
    if (isOurs) applied++;
    if (pace.over) await pace.rest();
  }
  return applied;
}

/** Whether the backup shows the record. */
function isShown({ epoch, number }: { readonly epoch: number; readonly number: number }, from: RedoFrom): boolean {
  return epoch < from.epoch || (epoch === from.epoch && number <= from.number);
}
