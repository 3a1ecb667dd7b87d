/**
 * The hash over a shard's log: each entry has that of the one before in its own. It tells an entry from another at the same position, and a reader from one that has read another log
 * (a database that was put back, a lost end): both would go on from a position alone.
 */
import { createHash } from 'node:crypto';
import type { Chain, LogEntry } from './port.ts';

const BYTES = 16;
const HEAD_BYTES = 34;

/** Before the first entry. */
export const FIRST_CHAIN: Chain = '0'.repeat(BYTES * 2);

/** What an entry says besides its chain. */
type Unchained = Omit<LogEntry, 'chain'>;

/** The chain of an entry behind one that has the chain `before`. What its writer knew of others (`confirmed`) is no part of it. */
function chainOf(before: Chain, { shard, epoch, seq, first, time, body }: Unchained): Chain {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16LE(shard, 0);
  let at = 2;
  for (const number of [epoch, seq, first, time]) {
    head.writeBigUInt64LE(BigInt(number), at);
    at += 8;
  }
  return createHash('sha256')
    .update(Buffer.from(before, 'hex'))
    .update(head)
    .update(body)
    .digest('hex')
    .slice(0, BYTES * 2);
}

export function chained(before: Chain, entry: Unchained): LogEntry {
  return { ...entry, chain: chainOf(before, entry) };
}

/** Position of the first entry that does not follow what was read before, or null: by its place, or by its chain. */
export function firstBreak(after: number, before: Chain, entries: readonly LogEntry[]): number | null {
  let [seq, chain] = [after, before];
  for (const entry of entries) {
    seq++;
    if (entry.seq !== seq || entry.chain !== chainOf(chain, entry)) return seq;
    chain = entry.chain;
  }
  return null;
}
