/** Reads a journal back in order, cuts a torn tail and refuses corruption. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Corruption } from '../fault.ts';
import { readMark } from './mark.ts';
import { recordAt, RECORD_HEAD_BYTES, type JournalIdentity, type JournalRecord } from './record.ts';
import { decodeHead, SEGMENT_HEAD_BYTES, type SegmentHead } from './segment.ts';

const SEGMENT = /^\d{10}\.segment$/;

/**
 * The records of the journal in `directory`, in the order of their numbers.
 *
 * The first place where the expected record does not lie is the end. That is a torn tail when nothing proves that the record
 * had been durable, and then what follows is cut, good records of the same torn batch too (a power cut keeps any subset of
 * its sectors, and none of it was acknowledged). It is damage when a later batch was written: a batch is
 * written only when the one before it is durable. The same holds between segments. Stale records of a recycled segment have
 * lower numbers.
 *
 * The mark beside the segments (mark.ts) says up to which number all was durable when the journal was last idle: a journal that
 * ends before it was damaged, also where nothing lies behind. `onCut` hears of every cut, `onDamage` of damage. `onDamage` throws
 * Corruption; where a reader passes one that returns, the records behind the damage follow.
 */
export function* readJournal(
  directory: string,
  onCut: (cut: JournalCut) => void = ignore,
  onDamage: (damage: JournalDamage) => void = refuse,
): Generator<JournalRecord, void> {
  let next = 0;
  let end = directory;
  let unread: JournalDamage | null = null;
  for (const path of segmentsOf(directory)) {
    const bytes = readFileSync(path);
    const head = headOf(bytes, path);
    if (head instanceof Corruption) {
      unread ??= { where: path, what: head.message, from: next, to: Number.POSITIVE_INFINITY };
      continue;
    }
    if (unread !== null) onDamage({ ...unread, to: head.first - 1 });
    else if (next !== 0 && head.first !== next)
      onDamage({ where: path, what: missing(path, next), from: next, to: head.first - 1 });
    unread = null;
    if (head.first < next) throw new Corruption(path, `it begins at record ${head.first}, and ${next} was expected`);
    next = head.first;
    let at = SEGMENT_HEAD_BYTES;
    for (;;) {
      const record = recordAt(bytes, at, head);
      if (record !== null && record.number === next) {
        yield record;
        next++;
        at = record.payload.byteOffset - bytes.byteOffset + record.payload.length;
        continue;
      }
      const behind = look(bytes, at, head, next);
      end = `${path} at ${at}`;
      if (behind.later === null) {
        if (behind.torn > 0) onCut({ path, at, bytes: behind.torn, next });
        break;
      }
      const { at: resumed, number, proof } = behind.later;
      const what = `${end}: record ${next} was durable and does not fit (record ${proof} does)`;
      onDamage({ where: end, what, from: next, to: number - 1 });
      next = number;
      at = resumed;
    }
  }
  if (unread !== null) onDamage(unread);
  const marked = readMark(directory);
  if (next !== 0 && marked >= next) {
    const what = `${end}: record ${next} was durable and does not fit (the journal was idle at record ${marked})`;
    onDamage({ where: end, what, from: next, to: marked });
  }
}

/**
 * A writer that was killed may have left records that only the kernel has. What of them is put into LMDB takes several commits: a loss of power between
 * two of these would leave half of a record there, and none in the journal. So they are made durable before they are read.
 */
export async function makeDurable(directory: string): Promise<void> {
  for (const path of segmentsOf(directory)) {
    const file = await open(path, 'r');
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  }
}

/** Records that were durable and are lost: what there is of them does not fit. */
export interface JournalDamage {
  readonly where: string;
  /** For people, the place included. */
  readonly what: string;
  /** The first and the last number; Infinity where the end is not known. */
  readonly from: number;
  readonly to: number;
}

/** Damage to a journal, and the directory of it. */
export interface DamagedJournal extends JournalDamage {
  readonly journal: string;
}

const missing = (path: string, next: number): string => `${path}: record ${next} was durable and is missing`;

function headOf(bytes: Buffer, path: string): SegmentHead | Corruption {
  try {
    return decodeHead(bytes, path);
  } catch (error) {
    if (error instanceof Corruption) return error;
    throw error;
  }
}

function refuse({ where, what }: JournalDamage): never {
  throw new Corruption(where, what.slice(where.length + 2));
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

interface Behind {
  /** Bytes of a torn flush, 0 where there are none: what a recycled segment kept of its earlier life does not count. */
  readonly torn: number;
  /** The first good record behind the place, where one of those behind it (`proof`) was written after the expected one was durable. */
  readonly later: { readonly at: number; readonly number: number; readonly proof: number } | null;
}

/** What lies behind `at`, where record `next` does not. */
function look(bytes: Buffer, at: number, head: SegmentHead, next: number): Behind {
  const epoch = Buffer.alloc(4);
  epoch.writeUInt32LE(head.epoch);
  let earlier = false;
  let first: { at: number; number: number } | null = null;
  for (let hit = bytes.indexOf(epoch, at + 8); hit !== -1; hit = bytes.indexOf(epoch, hit + 1)) {
    const record = recordAt(bytes, hit - 8, head);
    if (record === null) continue;
    if (record.number < head.first) earlier = true;
    if (record.number > next) first ??= { at: hit - 8, number: record.number };
    if (first !== null && record.number - record.place > next)
      return { torn: 0, later: { ...first, proof: record.number } };
  }
  if (first === null && !beginsTorn(bytes, at, head, next, earlier)) return { torn: 0, later: null };
  let end = bytes.length;
  while (end > at && bytes[end - 1] === 0) end--;
  return { torn: end - at, later: null };
}

/** Whether the bytes at `at` are the beginning of record `next`, or of nothing that an earlier life could have left. */
function beginsTorn(bytes: Buffer, at: number, { epoch }: JournalIdentity, next: number, recycled: boolean): boolean {
  if (at + RECORD_HEAD_BYTES > bytes.length) return false;
  const isNext = bytes.readUInt32LE(at + 8) === epoch && bytes.readUIntLE(at + 12, 6) === next;
  if (isNext || recycled) return isNext;
  return bytes.subarray(at, at + RECORD_HEAD_BYTES).some((byte) => byte !== 0);
}
