/** Reads a journal back in order, cuts a torn tail and refuses corruption. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Corruption } from '../fault.ts';
import { recordAt } from './record.ts';
import type { JournalIdentity, JournalRecord } from './record.ts';
import { decodeHead, SEGMENT_HEAD_BYTES } from './segment.ts';

const SEGMENT = /^\d{10}\.segment$/;

/**
 * The records of the journal in `directory`, in the order of their numbers.
 *
 * The first place where the expected record does not lie is the end. That is a torn tail when nothing proves that the record
 * had been durable, and then what follows is cut, good records of the same torn batch too (a power cut keeps any subset of
 * its sectors, and none of it was acknowledged). It is corruption, and throws, when a later batch was written: a batch is
 * written only when the one before it is durable. The same holds between segments. Stale records of a recycled segment have
 * lower numbers.
 */
export function* readJournal(directory: string): Generator<JournalRecord, void> {
  let next = 0;
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
    refuseProof(bytes, at, head, next, path);
  }
}

function segmentsOf(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter((name) => SEGMENT.test(name));
  return names.sort().map((name) => join(directory, name));
}

/** Throws Corruption when a good record behind `at` was written after number `next` was durable. */
function refuseProof(bytes: Buffer, at: number, identity: JournalIdentity, next: number, path: string): void {
  const epoch = Buffer.alloc(4);
  epoch.writeUInt32LE(identity.epoch);
  for (let hit = bytes.indexOf(epoch, at + 8); hit !== -1; hit = bytes.indexOf(epoch, hit + 1)) {
    const record = recordAt(bytes, hit - 8, identity);
    if (record === null || record.number - record.place <= next) continue;
    throw new Corruption(
      `${path} at ${at}`,
      `record ${next} was durable and does not fit (record ${record.number} does)`,
    );
  }
}
