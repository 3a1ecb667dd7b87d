/**
 * What is new in one journal and durable, read beside its writer, which knows nothing of it. The files say what is durable: a flush is written
 * only when the one before it is, and the mark says how far an idle journal was. So a copy never has a record that a crash could take back.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Corruption } from '../fault.ts';
import { carriedBy, epochOf } from '#storage/journal/directories.ts';
import { dropKept, dropKeptJournal, endOf, keptPath, segmentNames } from '#storage/journal/kept.ts';
import { readMark } from '#storage/journal/mark.ts';
import { recordAt, RECORD_HEAD_BYTES } from '#storage/journal/record.ts';
import { decodeHead, SEGMENT_HEAD_BYTES, type SegmentHead } from '#storage/journal/segment.ts';

/** Records of one journal, back to back as they lie in it. */
export interface Piece {
  readonly journal: string;
  readonly epoch: number;
  readonly seed: number;
  readonly first: number;
  readonly last: number;
  readonly bytes: Buffer;
}

/** Records that were dropped before they could be copied. `to`: the last number, null where it is not known. */
export interface Gap {
  readonly journal: string;
  readonly from: number;
  readonly to: number | null;
}

export interface TailRead {
  readonly pieces: readonly Piece[];
  readonly gaps: readonly Gap[];
  /** Whether the journal has ended and nothing of it is left to read. */
  readonly ended: boolean;
}

const SEEK_BYTES = 1024 * 1024;
const TRIES = 3;

interface Place {
  readonly name: string;
  readonly offset: number;
}

export interface TailMark {
  readonly next: number;
  readonly at: Place | null;
}

interface Found {
  readonly name: string;
  readonly path: string;
  readonly head: SegmentHead;
}

export class JournalTail {
  /** The journal's own directory; `kept.ts` says where its older segments are. */
  readonly path: string;
  readonly name: string;
  readonly epoch: number;
  /** The number of the record that is read next. */
  next: number;
  /** The segment that holds it and its place there; unknown at first. */
  #at: Place | null = null;

  constructor(path: string, next = 1) {
    this.path = path;
    this.name = basename(path);
    this.epoch = epochOf(path);
    this.next = next;
  }

  /**
   * What is new, about `bytesMax` at most; it is not given again, unless `reset` says so. `isFinal`: the journal has no writer any more.
   * Throws what the disk answers; then nothing has moved.
   */
  read(bytesMax: number, isFinal = false): TailRead {
    for (let tries = 1; ; tries++)
      try {
        return this.#read(bytesMax, isFinal);
      } catch (error) {
        // Its segments may be on their way from the journal to what is kept, and are looked for again.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === TRIES) throw error;
      }
  }

  #read(bytesMax: number, isFinal: boolean): TailRead {
    const pieces: Piece[] = [];
    const gaps: Gap[] = [];
    const kept = keptPath(this.path);
    if (!existsSync(this.path) && !existsSync(kept)) return { pieces, gaps: [this.#gap(null)], ended: true };
    const end = endOf(kept);
    const found = this.#segments();
    let [next, at, left] = [this.next, this.#at, bytesMax];
    for (let i = this.#place(found); i < found.length && left > 0; i++) {
      const { name, path, head } = found[i]!;
      const follower = found[i + 1];
      if (head.first > next) {
        gaps.push({ journal: this.name, from: next, to: head.first - 1 });
        next = head.first;
      }
      if (at?.name !== name) at = { name, offset: seek(path, head, next) };
      // A segment begins only when everything before it is durable.
      const before = (follower?.head.first ?? 0) - 1;
      const final = isFinal || end !== null;
      const durableTo = final ? Number.POSITIVE_INFINITY : Math.max(readMark(this.path), before);
      while (left > 0) {
        const { bytes, last } = readRecords(path, head, { offset: at.offset, next, durableTo, bytesMax: left });
        if (bytes.length === 0) break;
        pieces.push({ journal: this.name, epoch: head.epoch, seed: head.seed, first: next, last, bytes });
        at = { name, offset: at.offset + bytes.length };
        left -= bytes.length;
        next = last + 1;
      }
    }
    this.next = next;
    this.#at = at;
    const ended = end !== null && left > 0;
    if (ended && end.last !== null && next <= end.last) gaps.push(this.#gap(end.last));
    return { pieces, gaps, ended };
  }

  #gap(to: number | null): Gap {
    return { journal: this.name, from: this.next, to };
  }

  /** Whether the other journal may hold records of a shard of which this one does. */
  shares(other: JournalTail): boolean {
    const [mine, others] = [this.#carried(), other.#carried()];
    return mine === null || others === null || [...mine].some((shard) => others.has(shard));
  }

  /** Whether it may hold records of a shard. */
  carries(shard: number): boolean {
    return this.#carried()?.has(shard) !== false;
  }

  #carried(): ReadonlySet<number> | null {
    return carriedBy(keptPath(this.path)) ?? carriedBy(this.path);
  }

  /** Where it is, for `reset`. */
  mark(): TailMark {
    return { next: this.next, at: this.#at };
  }

  /** Goes back to where it was: what it gave did not arrive. */
  reset({ next, at }: TailMark): void {
    this.next = next;
    this.#at = at;
  }

  /** Removes kept segments that were read to their end; all of them where the journal has ended and was read to its end. */
  release(ended: boolean): void {
    const kept = keptPath(this.path);
    if (ended) return dropKeptJournal(kept);
    for (const name of segmentNames(kept)) {
      if (this.#at === null || name >= this.#at.name) return;
      dropKept(kept, name);
    }
  }

  /** Segments in the order of their records, wherever each lies now. One that moves meanwhile is met at one place or at both. */
  #segments(): Found[] {
    const places = new Map<string, string>();
    for (const directory of [this.path, keptPath(this.path)])
      for (const name of segmentNames(directory)) places.set(name, join(directory, name));
    const names = [...places.keys()].toSorted();
    return names.flatMap((name) => headed(name, places.get(name)!, join(keptPath(this.path), name)) ?? []);
  }

  /** Where in the list the next record is to be looked for. */
  #place(found: readonly Found[]): number {
    const at = this.#at;
    const known = at === null ? -1 : found.findIndex(({ name }) => name === at.name);
    if (known !== -1) return known;
    return Math.max(
      0,
      found.findLastIndex(({ head }) => head.first <= this.next),
    );
  }
}

/** The segment with its head; at its other place when it was moved between the listing and the reading. */
function headed(name: string, path: string, moved: string): Found | null {
  for (const place of [path, moved]) {
    try {
      return { name, path: place, head: readHead(place) };
    } catch (error) {
      if (error instanceof Corruption) return null; // its records are missing to the copy
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return null; // it was dropped
}

function readHead(path: string): SegmentHead {
  const bytes = Buffer.alloc(SEGMENT_HEAD_BYTES);
  const fd = openSync(path, 'r');
  try {
    readSync(fd, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(fd);
  }
  return decodeHead(bytes, path);
}

interface From {
  readonly offset: number;
  /** The number of the record at `offset`. */
  readonly next: number;
  /** Up to where records are durable whatever follows them. */
  readonly durableTo: number;
  /** The last record that is wanted. */
  readonly to?: number;
  readonly bytesMax: number;
}

interface Records {
  readonly bytes: Buffer;
  /** The number of the newest record in `bytes`. */
  readonly last: number;
}

/** Where in a segment a record begins, or where what fits ends before it. */
function seek(path: string, head: SegmentHead, next: number): number {
  let offset = SEGMENT_HEAD_BYTES;
  for (let number = head.first; number < next;) {
    const from = { offset, next: number, durableTo: next - 1, to: next - 1, bytesMax: SEEK_BYTES };
    const { bytes, last } = readRecords(path, head, from);
    if (bytes.length === 0) break;
    offset += bytes.length;
    number = last + 1;
  }
  return offset;
}

/** The records from a place on that are durable; none where that is not known yet. */
function readRecords(path: string, head: SegmentHead, from: From): Records {
  const fd = openSync(path, 'r');
  try {
    const size = fstatSync(fd).size - from.offset;
    for (let length = Math.min(size, from.bytesMax); ; length = Math.min(size, 2 * length)) {
      const window = Buffer.allocUnsafeSlow(length);
      const { isCut, ...records } = durableOf(
        window.subarray(0, readSync(fd, window, 0, length, from.offset)),
        head,
        from,
      );
      // A flush may be longer than the window: what proves it durable lies behind it.
      if (records.bytes.length > 0 || !isCut || length === size) return records;
    }
  } finally {
    closeSync(fd);
  }
}

/** The durable records at the beginning of a window; `isCut`: the window ends within a record. */
function durableOf(
  window: Buffer,
  head: SegmentHead,
  { next, durableTo, to = Number.POSITIVE_INFINITY }: From,
): Records & { readonly isCut: boolean } {
  const ends: number[] = [];
  let proven = durableTo;
  let end = 0;
  let number = next;
  for (; ; number++) {
    const record = recordAt(window, end, head);
    if (record === null || record.number !== number) break;
    end += RECORD_HEAD_BYTES + record.payload.length;
    ends.push(end);
    proven = Math.max(proven, number - record.place - 1);
  }
  const durable = Math.max(0, Math.min(ends.length, Math.min(proven, to) - next + 1));
  return {
    bytes: window.subarray(0, durable === 0 ? 0 : ends[durable - 1]),
    last: next + durable - 1,
    isCut: isCutAt(window, end, head, number),
  };
}

/** Whether the expected record begins there, and goes on behind the window. */
function isCutAt(window: Buffer, at: number, { epoch }: SegmentHead, next: number): boolean {
  if (at + RECORD_HEAD_BYTES > window.length) return true;
  const isNext = window.readUInt32LE(at + 8) === epoch && window.readUIntLE(at + 12, 6) === next;
  return isNext && at + RECORD_HEAD_BYTES + window.readUInt32LE(at) > window.length;
}
