/** What a crash leaves: the files as they are, with any subset of the sectors that no sync has made durable. */
import { closeSync, cpSync, openSync, writeSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findJournals } from '#storage/journal/directories.ts';
import { recordAt, RECORD_HEAD_BYTES } from '#storage/journal/record.ts';
import { decodeHead, SEGMENT_HEAD_BYTES } from '#storage/journal/segment.ts';
import type { Random } from '#test/kit/random.ts';

const SECTOR_BYTES = 512;

/** Copies the directory and takes random sectors of records above `durable` away from the newest journal. */
export function crashImage(from: string, to: string, durable: number, random: Random): void {
  cpSync(from, to, { recursive: true });
  const journal = findJournals(to).at(-1);
  if (journal === undefined || random.chance(0.3)) return;
  for (const name of readdirSync(journal).filter((each) => each.endsWith('.segment'))) {
    tear(join(journal, name), durable, random);
  }
}

function tear(path: string, durable: number, random: Random): void {
  const bytes = readFileSync(path);
  const { start, end } = undurable(bytes, path, durable);
  const fd = openSync(path, 'r+');
  for (let at = start; at < end; at = (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES) {
    const size = Math.min(end, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES) - at;
    if (random.chance(0.5)) writeSync(fd, Buffer.alloc(size), 0, size, at);
  }
  closeSync(fd);
}

/** The bytes of the segment's records above `durable`. */
function undurable(bytes: Buffer, path: string, durable: number): { start: number; end: number } {
  const head = decodeHead(bytes, path);
  let at = SEGMENT_HEAD_BYTES;
  let start = -1;
  let next = head.first;
  for (let record = recordAt(bytes, at, head); record?.number === next; record = recordAt(bytes, at, head)) {
    if (record.number > durable && start === -1) start = at;
    at += RECORD_HEAD_BYTES + record.payload.length;
    next++;
  }
  return { start: start === -1 ? at : start, end: at };
}
