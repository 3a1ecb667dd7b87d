/** What must hold of the log in the end, and of every store beside it. */
import { META_PREFIX } from '#storage/applied.ts';
import { BodyReader } from '#storage/engine-journals/body.ts';
import { recordWrites } from '#storage/journal/record.ts';
import { FIRST_CHAIN, firstBreak } from '#storage/log-engine/chain.ts';
import type { LogEntry } from '#storage/log-engine/port.ts';
import type { Cells } from '#test/simulation/machine/cells.ts';
import type { Shown } from './ledger.ts';
import { COUNTS } from './settings.ts';

export interface Replayed {
  /** By physical key, as text. */
  readonly rows: ReadonlyMap<string, string>;
  /** Of each count, the writes, from the first on. */
  readonly ids: readonly (readonly number[])[];
}

/** The key of a count, without its place. */
export const countKey = (no: number): string => `count${no}`;
const COUNT_KEY = /count(\d)$/;

export function countIn(value: Uint8Array | undefined): Shown {
  if (value === undefined) return { count: 0, id: 0 };
  const [count, id] = Buffer.from(value).toString('latin1').split(' ');
  return { count: Number(count), id: Number(id) };
}

/** Throws where the entries are not one log: of one epoch before the next, each epoch begun once, times that never go back, records without gaps. */
export function replay(shard: number, entries: readonly LogEntry[]): Replayed {
  const broken = firstBreak(0, FIRST_CHAIN, entries);
  if (broken !== null) throw new Error(`shard ${shard}: entry ${broken} of the log does not follow the one before`);
  judgeOrder(shard, entries);
  const rows = new Map<string, string>();
  const ids = COUNTS.map((): number[] => []);
  const reader = new BodyReader();
  const numbers = new Map<number, number>();
  for (const entry of entries)
    for (const record of reader.take(entry)) {
      if (record.number !== (numbers.get(record.epoch) ?? 0) + 1)
        throw new Error(`shard ${shard}: record ${record.number} of epoch ${record.epoch} is out of its order`);
      numbers.set(record.epoch, record.number);
      for (const { key, value } of recordWrites(record)) {
        if (value === null) rows.delete(key);
        else rows.set(key, Buffer.from(value).toString('latin1'));
        const no = COUNT_KEY.exec(key)?.[1];
        if (no === undefined) continue;
        const { count, id } = countIn(value ?? undefined);
        const before = ids[Number(no)]!.push(id) - 1;
        if (before + 1 !== count)
          throw new Error(`shard ${shard}, count ${no}: write ${count} follows ${before} others`);
      }
    }
  return { rows, ids };
}

function judgeOrder(shard: number, entries: readonly LogEntry[]): void {
  let [epoch, time] = [0, 0];
  for (const entry of entries) {
    const isBegin = entry.first === 0;
    if (entry.epoch < epoch || (isBegin && entry.epoch === epoch) || (!isBegin && entry.epoch !== epoch))
      throw new Error(`shard ${shard}: entry ${entry.seq} of epoch ${entry.epoch} lies behind epoch ${epoch}`);
    if (entry.time < time) throw new Error(`shard ${shard}: the time of entry ${entry.seq} goes back`);
    ({ epoch, time } = entry);
  }
}

/** Throws where a store that is at the end of its log has other rows. */
export function judgeStore(what: string, cells: Cells, { rows }: Replayed): void {
  const found = new Map<string, string>();
  for (const { key, value } of cells.range('', META_PREFIX, false))
    found.set(key, Buffer.from(value).toString('latin1'));
  for (const [key, value] of rows)
    if (found.get(key) !== value)
      throw new Error(
        `${what} has ${found.get(key)?.slice(0, 12)} under ${key.slice(5)}, and the log ${value.slice(0, 12)}`,
      );
  for (const key of found.keys())
    if (!rows.has(key)) throw new Error(`${what} has ${key.slice(5)}, and the log does not`);
}
