/**
 * Entries of a shard into the place of its copies, before the log lets them go: piece behind piece, each read back there. A process may end at any point: what lies there already is not written again, and
 * a piece that two processes wrote does no harm, since readers take what follows on what they have.
 */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogPlace } from '../applied.ts';
import { makeDirectory } from '../directory.ts';
import type { Pace } from '#storage/backup/pace.ts';
import { firstBreak } from '#storage/log-engine/chain.ts';
import { EngineRefused, type LogEngine, type LogEntry } from '#storage/log-engine/port.ts';
import { untilKnown, type Pause } from '#storage/log-engine/until-known.ts';
import { sealFile } from '#storage/log-seal/file.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { digestOf, digestOfFile } from '#storage/shard-copy/file-digest.ts';
import { pieceName, readPieceName } from '#storage/shard-copy/piece-name.ts';
import { CopyMissing, readCopyName, type CopyPlace } from '#storage/shard-copy/place.ts';
import { proveStored } from '#storage/shard-copy/prove-stored.ts';
import { assertRoom } from '#storage/shard-copy/scratch-room.ts';
import { PieceWriter } from './piece-file.ts';

export interface Publish {
  readonly engine: Pick<LogEngine, 'look' | 'readOwn'>;
  readonly shard: number;
  /** The entry of a copy that lies in the place. */
  readonly upTo: LogPlace;
  readonly place: CopyPlace;
  /** Pieces are sealed by it; null, or absent, where they lie as they are. */
  readonly seal?: LogSeal | null | undefined;
  /** A directory on the disk of the data, for as long as this runs. */
  readonly scratch: string;
  readonly freeBytesMin: number;
  /** Bytes of entries that are read at once, and of a piece: it may have as much more as is read at once. */
  readonly readBytesMax: number;
  readonly pieceBytesMax: number;
  /** Between two calls of which the first had no outcome; rejects to give up. */
  readonly pause: Pause;
  readonly pace: Pace;
}

export interface Published {
  readonly pieces: number;
  readonly bytes: number;
}

/**
 * Resolves when all entries up to `upTo` that follow on a copy in the place lie there. Rejects with EngineRefused where the log is not the one that the copy is of, and where another node has the shard
 * meanwhile; and where the place or the disk fails.
 */
export async function publishEntries(work: Publish): Promise<Published> {
  const { engine, pause, scratch, shard, upTo } = work;
  const { epoch, trimmed } = await untilKnown(() => engine.look(shard), pause);
  const sum = { pieces: 0, bytes: 0 };
  let at = await beginOf(work, trimmed);
  try {
    while (at !== null && at.seq < upTo.seq) {
      const made = await published(work, at, epoch);
      sum.pieces++;
      sum.bytes += made.bytes;
      at = made.end;
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return sum;
}

/** The entry behind which something is missing in the place; null where the log has nothing that follows on a copy there. */
async function beginOf(work: Publish, trimmed: number): Promise<LogPlace | null> {
  const { place, shard } = work;
  let begin: LogPlace | null = null;
  let isTorn = false;
  for (const name of await place.pieces(shard)) {
    const { chain, sha256, to } = readPieceName(name)!;
    if (to < trimmed) continue;
    // What nothing was let go behind yet may be what an ended process left: it is read once more.
    isTorn ||= to > trimmed && !(await isWhole(work, name, sha256));
    if (isTorn) await place.remove(name);
    else if (begin === null || to > begin.seq) begin = { seq: to, chain };
  }
  if (begin !== null) return begin;
  const copies = (await place.list(shard)).map((name) => readCopyName(name)!);
  const first = copies.find(({ seq }) => seq >= trimmed);
  return first === undefined ? null : { seq: first.seq, chain: first.chain };
}

/** A place that does not answer says nothing of the piece: that rejects. */
async function isWhole({ place, pace }: Publish, name: string, sha256: string): Promise<boolean> {
  try {
    return (await digestOf(place.read(name), pace)) === sha256;
  } catch (error) {
    if (error instanceof CopyMissing) return false;
    throw error;
  }
}

interface Made {
  readonly end: LogPlace;
  readonly bytes: number;
}

/** Puts the next piece into the place. */
async function published(work: Publish, before: LogPlace, epoch: number): Promise<Made> {
  const { pace, place, scratch, seal = null, shard } = work;
  await rm(scratch, { recursive: true, force: true });
  const bytesMax = work.pieceBytesMax + work.readBytesMax;
  await assertRoom(`a piece of the log of shard ${shard}`, seal === null ? bytesMax : 2 * bytesMax, work);
  const plain = join(makeDirectory(scratch), 'plain');
  const { first, last } = await written(work, before, epoch, plain);
  const path = seal === null ? plain : join(scratch, 'sealed');
  if (seal !== null) await sealFile({ seal, shard, from: plain, to: path, pace });
  const sha256 = await digestOfFile(path, pace);
  const name = pieceName({
    shard,
    from: first.seq,
    to: last.seq,
    chain: last.chain,
    firstMs: first.time,
    lastMs: last.time,
    sha256,
  });
  await place.put(name, path);
  await proveStored(place, name, sha256, pace);
  return { end: { seq: last.seq, chain: last.chain }, bytes: (await stat(path)).size };
}

interface Ends {
  readonly first: LogEntry;
  readonly last: LogEntry;
}

/** Entries behind `before` into a file, as many as a piece takes; gives the first and the last one. */
async function written(work: Publish, before: LogPlace, epoch: number, path: string): Promise<Ends> {
  const { pace, pieceBytesMax, shard, upTo } = work;
  const writer = await PieceWriter.create(path, shard, before);
  try {
    let first: LogEntry | undefined;
    let last: LogEntry | undefined;
    let at: LogPlace = before;
    while (at.seq < upTo.seq && writer.bytes < pieceBytesMax) {
      const entries = await nextEntries(work, at, epoch);
      await writer.add(entries);
      first ??= entries[0]!;
      last = entries.at(-1)!;
      at = { seq: last.seq, chain: last.chain };
      pace.did(entries.length);
      if (pace.over) await pace.rest();
    }
    if (at.seq === upTo.seq && at.chain !== upTo.chain)
      throw new EngineRefused(`shard ${shard}: entry ${at.seq} of the log is not the one that its copy has`);
    await writer.end();
    return { first: first!, last: last! };
  } catch (error) {
    await writer.drop();
    throw error;
  }
}

/** One at least, up to `upTo` at most. The log has them: nothing is let go before it is published. */
async function nextEntries(work: Publish, at: LogPlace, epoch: number): Promise<LogEntry[]> {
  const { engine, pause, readBytesMax, shard, upTo } = work;
  const chunk = await untilKnown(() => engine.readOwn(shard, epoch, at.seq, readBytesMax), pause);
  if (chunk === null) throw new EngineRefused(`shard ${shard}: another node has it meanwhile`);
  const entries = chunk.entries.filter(({ seq }) => seq <= upTo.seq);
  const broken = firstBreak(at.seq, at.chain, entries);
  if (broken !== null || entries.length === 0)
    throw new EngineRefused(
      `shard ${shard}: entry ${broken ?? at.seq + 1} of the log does not follow on what lies in ${work.place.where}`,
    );
  return entries;
}
