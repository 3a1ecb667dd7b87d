/** One shard's journal, without an engine: what it sends, and where it says that its records lie. */
import { expect, it } from 'vitest';
import { logMarks, NOWHERE } from '#storage/applied.ts';
import { ShardLog } from '#storage/engine-journals/shard-log.ts';
import { FIRST_CHAIN } from '#storage/log-engine/chain.ts';
import { decodeRecord } from '#storage/record.ts';

function logOf(entryBytesMax: number): { log: ShardLog; clock: { ms: number }; waiting: () => number } {
  const clock = { ms: 0 };
  let bytes = 0;
  const log = new ShardLog({
    shard: 0,
    owned: { epoch: 1, seq: 1, chain: FIRST_CHAIN, time: 100 },
    entryBytesMax,
    now: () => clock.ms,
    admit: () => undefined,
    wake: (more) => void (bytes += more),
  });
  return { log, clock, waiting: () => bytes };
}

const put = (size: number): { key: string; value: Uint8Array }[] => [{ key: 'k', value: Buffer.alloc(size) }];

it('a record in the middle of an entry lies behind the entry before, and the entries that LMDB has wholly are forgotten but for the newest', () => {
  const { log } = logOf(10_000);
  for (let n = 0; n < 3; n++) log.append(put(1));
  const first = log.next()!;
  expect(() => log.next()).toThrow('has no outcome');
  log.acknowledged();
  expect(log.reach(2)).toMatchObject({ whole: { seq: 1 }, through: { seq: 2, chain: first.chain } });
  expect(log.reach(3)).toMatchObject({ whole: { seq: 2 }, through: { seq: 2 } });
  log.retire(3);
  log.append(put(1));
  log.append(put(1));
  log.next();
  log.acknowledged();
  expect(log.reach(4)).toMatchObject({ whole: { seq: 2, chain: first.chain }, through: { seq: 3 } });
  expect(log.next()).toBe(null);
});

it('no entry with a part of a record is one up to which all is there', () => {
  const { log } = logOf(100);
  log.append(put(1));
  log.append(put(250));
  const sent: string[] = [];
  for (let entry = log.next(); entry !== null; entry = log.next()) {
    log.acknowledged();
    sent.push(`${entry.seq} ${entry.first} ${log.durable}`);
  }
  expect(sent).toEqual(['2 1 1', '3 2 1', '4 2 1', '5 2 2']);
  expect(log.reach(1)).toMatchObject({ whole: { seq: 2 }, through: { seq: 2 } });
  expect(log.reach(2)).toMatchObject({ whole: { seq: 5 }, through: { seq: 5 } });
});

it('the time of an entry is the latest instant so far, also of an earlier owner', () => {
  const { log, clock } = logOf(10_000);
  const times = [50, 5000, 10].map((ms) => {
    clock.ms = ms;
    log.append(put(1));
    const { time } = log.next()!;
    log.acknowledged();
    return time;
  });
  expect(times).toEqual([100, 5000, 5000]);
});

it('gives back all bytes that waited, whether they were taken or are let go', () => {
  const { log, waiting } = logOf(100);
  for (let n = 0; n < 4; n++) log.append(put(30 + 60 * n));
  log.next();
  const taken = log.acknowledged();
  log.next();
  log.append(put(10));
  expect(taken + log.lose()).toBe(waiting());
  expect(log.isWaiting).toBe(false);
});

it('what LMDB may have a part of never goes back', () => {
  const at = (seq: number): { seq: number; chain: string } => ({ seq, chain: `${seq}` });
  const before = { whole: at(5), through: at(10) };
  const marks = logMarks({ epoch: 1, number: 7 }, before, { whole: at(7), through: at(8) });
  const said = [marks.first, marks.last].map((writes) => decodeRecord(writes.at(-1)![1]!, 'log'));
  expect(said).toEqual([before, { whole: at(7), through: at(10) }]);
  expect(NOWHERE.whole).toEqual({ seq: 0, chain: FIRST_CHAIN });
});
