/** Reads a journal back in order, cuts a torn tail and refuses corruption. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Corruption } from '../fault.ts';
import { readMark } from './mark.ts';
import { recordAt, RECORD_HEAD_BYTES } from './record.ts';
import type { JournalIdentity, JournalRecord } from './record.ts';
import { decodeHead, SEGMENT_HEAD_BYTES } from './segment.ts';
import type { SegmentHead } from './segment.ts';

const SEGMENT = /^\d{10}\.segment$/;

/**
 * The records of the journal in `directory`, in the order of their numbers.
 *
 * The first place where the expected record does not lie is the end. That is a torn tail when nothing proves that the record
 * had been durable, and then what follows is cut, good records of the same torn batch too (a power cut keeps any subset of
 * its sectors, and none of it was acknowledged). It is corruption, and throws, when a later batch was written: a batch is
 * written only when the one before it is durable. The same holds between segments. Stale records of a recycled segment have
 * lower numbers.
 *
 * The mark beside the segments (mark.ts) says up to which number all was durable when the journal was last idle: a journal that
 * ends before it was damaged, also where nothing lies behind. Every cut is told.
 */
export function* readJournal(
  directory: string,
  onCut: (cut: JournalCut) => void = ignore,
): Generator<JournalRecord, void> {
  let next = 0;
  let end = directory;
  for (const path of segmentsOf(directory)) {
    const bytes = readFileSync(path);
    const head = decodeHead(bytes, path);
    if (next !== 0 && head.first !== next) throw new Corruption(path, `record ${next} was durable and is missing`);
    next = head.first;
    let at = SEGMENT_HEAD_BYTES;
    for (;;) {
      const record = recordAt(bytes, at, head);
      if (record === null || record.number !== next) break;
      yield record;
      next++;
      at = record.payload.byteOffset - bytes.byteOffset + record.payload.length;
    }
    const behind = look(bytes, at, head, next, path);
    end = `${path} at ${at}`;
    if (behind > 0) onCut({ path, at, bytes: behind, next });
  }
  const marked = readMark(directory);
  if (next !== 0 && marked >= next)
    throw new Corruption(end, `record ${next} was durable and does not fit (the journal was idle at record ${marked})`);
}

/** A journal's end that was cut: what lies behind was on its way to the disk, and nothing of it was acknowledged. */
export interface JournalCut {
  readonly path: string;
  readonly at: number;
  /** Bytes up to the last one that is not zero. */
  readonly bytes: number;
  /** The number that the record there would have. */
  readonly next: number;
}

const ignore = (): void => undefined;

function segmentsOf(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter((name) => SEGMENT.test(name));
  return names.sort().map((name) => join(directory, name));
}

/**
 * How many bytes of a torn flush lie behind `at`, 0 where there are none: what a recycled segment kept of its earlier life does not
 * count. Throws Corruption when a good record there was written after number `next` was durable.
 */
function look(bytes: Buffer, at: number, head: SegmentHead, next: number, path: string): number {
  const epoch = Buffer.alloc(4);
  epoch.writeUInt32LE(head.epoch);
  let earlier = false;
  let later = false;
  for (let hit = bytes.indexOf(epoch, at + 8); hit !== -1; hit = bytes.indexOf(epoch, hit + 1)) {
    const record = recordAt(bytes, hit - 8, head);
    if (record === null) continue;
    if (record.number < head.first) earlier = true;
    if (record.number > next) later = true;
    if (record.number - record.place <= next) continue;
    throw new Corruption(
      `${path} at ${at}`,
      `record ${next} was durable and does not fit (record ${record.number} does)`,
    );
  }
  if (!later && !beginsTorn(bytes, at, head, next, earlier)) return 0;
  let end = bytes.length;
  while (end > at && bytes[end - 1] === 0) end--;
  return end - at;
}

/** Whether the bytes at `at` are the beginning of record `next`, or of nothing that an earlier life could have left. */
function beginsTorn(bytes: Buffer, at: number, { epoch }: JournalIdentity, next: number, recycled: boolean): boolean {
  if (at + RECORD_HEAD_BYTES > bytes.length) return false;
  const isNext = bytes.readUInt32LE(at + 8) === epoch && bytes.readUIntLE(at + 12, 6) === next;
  if (isNext || recycled) return isNext;
  return bytes.subarray(at, at + RECORD_HEAD_BYTES).some((byte) => byte !== 0);
}
