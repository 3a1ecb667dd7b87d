/**
 * Copies the journals of a node, a chunk at a time, into a place of chunks. What it has copied is in the chunks themselves: a copier that
 * begins again reads the newest one and goes on from there. Kept segments are removed once their records are in a chunk that the place has.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PartEncryption } from '#storage/backup-set/encryption.ts';
import type { BackupPlace } from '#storage/backup-set/place.ts';
import { epochOf, findJournals, lastEpoch } from '#storage/journal/directories.ts';
import { dropKept, dropKeptJournal, keptRoot, segmentNames } from '#storage/journal/kept.ts';
import { chunkName, encodeChunk, readChunkName, decodeChunk, type ChunkHead, type ChunkName } from './chunk.ts';
import { JournalTail, type Gap, type Piece } from './tail.ts';

/** Where chunks lie, whole or not at all. */
export type ChunkPlace = Pick<BackupPlace, 'where' | 'chunks' | 'writeChunk' | 'readChunk' | 'removeChunk'>;

export interface CopierOptions {
  readonly dataDir: string;
  readonly place: ChunkPlace;
  /** For whom records are encrypted; null where they are not. */
  readonly encryption: PartEncryption | null;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Records of one chunk. */
  readonly bytesMax: number;
  /** Kept segments may take so many bytes of the disk; beyond it the oldest are given up, and the copy has a gap. */
  readonly keptBytesMax: number;
  /** The shard whose journal is read once more, after all others: what is done in any shard is told there first. */
  readonly firstTold: number;
  /** Whether the disk is so full that nothing may wait on it; never, when left out. */
  readonly isDiskFull?: () => boolean;
}

export interface Copied {
  /** Bytes of records in the chunk that was written; 0 where nothing was new. */
  readonly bytes: number;
  /** What the copy lost before this chunk. */
  readonly gaps: readonly Gap[];
  /** Whether more is there already. */
  readonly more: boolean;
}

/** A journal is made in far less time after its epoch was given. */
const BEGINS_WITHIN_MS = 60_000;
/** Journals that may be in the making at once: a node has fewer hosts. */
const OPENING_MAX = 256;

/** What a step has read. */
interface Found {
  readonly pieces: Piece[];
  readonly gaps: Gap[];
  /** Journals that were read to their end. */
  readonly ended: JournalTail[];
  /** Bytes for which the chunk has room. */
  left: number;
}

export class JournalCopier {
  readonly #options: CopierOptions;
  readonly #tails = new Map<string, JournalTail>();
  #seq = 0;
  /** Whether the newest chunk shows a moment; false before the first. */
  #isComplete = false;
  #epoch = 0;
  /** Epochs above `#epoch` whose journals were found, or given up. */
  readonly #seen = new Set<number>();
  /** Epochs that were given and have no journal yet, and since when. */
  readonly #holes = new Map<number, number>();
  /** The last epoch that was given when the copy was begun: what has no journal by then is none of its gaps. */
  #first = 0;
  /** Gaps that no chunk has told yet. */
  #gaps: Gap[] = [];

  private constructor(options: CopierOptions) {
    this.#options = options;
  }

  /** Goes on where the newest chunk of the place ended. */
  static async open(options: CopierOptions): Promise<JournalCopier> {
    const copier = new JournalCopier(options);
    const names = (await options.place.chunks()).flatMap((name) => readChunkName(name) ?? []);
    const newest = names.at(-1);
    if (newest === undefined) copier.#begin();
    else copier.#resume(await headOf(options.place, newest));
    return copier;
  }

  /** Hosts may be about to make the journals of the newest epochs. */
  #begin(): void {
    const { dataDir } = this.#options;
    this.#first = lastEpoch(dataDir);
    const epochs = [...findJournals(dataDir), ...keptJournals(dataDir)].map((path) => epochOf(path));
    this.#epoch = Math.max(0, Math.min(this.#first - OPENING_MAX, ...epochs.map((epoch) => epoch - 1)));
  }

  #resume({ seq, complete, positions, epoch, seen, first }: ChunkHead): void {
    this.#seq = seq;
    this.#isComplete = complete;
    this.#epoch = epoch;
    this.#first = first;
    for (const one of seen) this.#seen.add(one);
    for (const { journal, next } of positions)
      this.#tails.set(journal, new JournalTail(join(this.#options.dataDir, 'journal', journal), next));
    // What ended before the crash that this copier begins after, and was not removed yet.
    for (const path of keptJournals(this.#options.dataDir))
      if (this.#knows(epochOf(path)) && !this.#tails.has(basename(path))) dropKeptJournal(path);
  }

  /** Copies what is new, one chunk at most. Throws what disk or place answers: then the next call tries the same again. */
  async copy(): Promise<Copied> {
    this.#look();
    this.#bound();
    const before = new Map(Array.from(this.#tails.values(), (tail) => [tail, tail.mark()]));
    const found: Found = { pieces: [], gaps: [...this.#gaps], ended: [], left: this.#options.bytesMax };
    for (const tail of this.#inOrder()) this.#read(tail, found);
    for (const tail of this.#inOrder()) if (tail.carries(this.#options.firstTold)) this.#read(tail, found);
    const { gaps, ended, left } = found;
    const bytes = this.#options.bytesMax - left;
    try {
      const isNews = bytes > 0 || gaps.length > 0 || ended.length > 0;
      if (isNews || !this.#isComplete) await this.#write(found);
    } catch (error) {
      for (const [tail, mark] of before) tail.reset(mark);
      throw error;
    }
    this.#gaps = [];
    for (const tail of this.#tails.values()) tail.release(ended.includes(tail));
    for (const { name } of ended) this.#tails.delete(name);
    return { bytes, gaps, more: left <= 0 };
  }

  #read(tail: JournalTail, found: Found): void {
    if (found.left <= 0 || found.ended.includes(tail)) return;
    const { pieces, gaps, ended } = tail.read(found.left, this.#isSuperseded(tail));
    found.pieces.push(...pieces);
    found.gaps.push(...gaps);
    if (ended) found.ended.push(tail);
    found.left -= pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** A shard has one writer: where a later journal has its records, the earlier one has got its last. */
  #isSuperseded(tail: JournalTail): boolean {
    return this.#inOrder().some((other) => other.epoch > tail.epoch && tail.shares(other));
  }

  /** By epoch, so that a chunk never has a record of a shard without those before it. */
  #inOrder(): JournalTail[] {
    return [...this.#tails.values()].toSorted((a, b) => a.epoch - b.epoch);
  }

  async #write({ pieces, gaps, ended, left }: Found): Promise<void> {
    const open = [...this.#tails.values()].filter((tail) => !ended.includes(tail));
    const head = {
      seq: this.#seq + 1,
      moment: this.#options.now(),
      complete: left > 0,
      gaps,
      positions: open.map(({ name, next }) => ({ journal: name, next })),
      epoch: this.#epoch,
      seen: [...this.#seen],
      first: this.#first,
    };
    const { encryption, place } = this.#options;
    await place.writeChunk(chunkName(head), await encodeChunk(head, pieces, encryption));
    this.#seq++;
    this.#isComplete = left > 0;
  }

  #knows(epoch: number): boolean {
    return epoch <= this.#epoch || this.#seen.has(epoch);
  }

  /**
   * Finds journals that began since. An epoch that stays without a journal was served by a node that kept nothing for the copy, or ended
   * before it served: what it wrote, if anything, is missing.
   */
  #look(): void {
    const { dataDir, now } = this.#options;
    const names = new Set([...findJournals(dataDir), ...keptJournals(dataDir)].map((path) => basename(path)));
    for (const name of [...names].toSorted()) {
      const epoch = epochOf(name);
      if (this.#knows(epoch)) continue;
      this.#seen.add(epoch);
      this.#tails.set(name, new JournalTail(join(dataDir, 'journal', name)));
    }
    const last = lastEpoch(dataDir);
    for (let epoch = this.#epoch + 1; epoch <= last; epoch++) {
      if (this.#seen.has(epoch)) continue;
      const sinceMs = this.#holes.get(epoch) ?? now();
      this.#holes.set(epoch, sinceMs);
      if (now() - sinceMs < BEGINS_WITHIN_MS) continue;
      this.#seen.add(epoch);
      this.#holes.delete(epoch);
      if (epoch > this.#first) this.#gaps.push({ journal: String(epoch).padStart(10, '0'), from: 1, to: null });
    }
    while (this.#seen.delete(this.#epoch + 1)) this.#epoch++;
  }

  /** Gives up the oldest kept segments beyond the bound: the disk is the node's first. */
  #bound(): void {
    const kept = keptJournals(this.#options.dataDir).flatMap((path) =>
      segmentNames(path).map((name) => ({ path, name, bytes: statSync(join(path, name)).size })),
    );
    const { isDiskFull, keptBytesMax } = this.#options;
    let sum = kept.reduce((all, { bytes }) => all + bytes, 0);
    for (const { path, name, bytes } of kept) {
      if (sum <= keptBytesMax && isDiskFull?.() !== true) return;
      dropKept(path, name);
      sum -= bytes;
    }
  }
}

/** Directories of kept segments, oldest epoch first. */
function keptJournals(dataDir: string): string[] {
  const root = keptRoot(dataDir);
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .toSorted()
    .map((name) => join(root, name));
}

async function headOf(place: ChunkPlace, { name }: ChunkName): Promise<ChunkHead> {
  const bytes = await place.readChunk(name);
  if (bytes === null) throw new Error(`${place.where}: the chunk ${name} is gone`);
  return decodeChunk(bytes, `${place.where}: chunk ${name}`).head;
}
