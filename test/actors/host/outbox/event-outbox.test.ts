/** A tenant's events until the audit log has them: none lost, none twice, in order, over restarts and past the slots. Contract: docs/contract/audit.md §5.1 (at least once, gaps visible). */
import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { packEvents, unpackEvents } from '#actors/host/outbox/event-batch.ts';
import { EventOutbox } from '#actors/host/outbox/event-outbox.ts';
import type { NewAuditEvent } from '#actors/protocol/audit.ts';
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import { StorageFull } from '#storage/fault.ts';
import { after, u16 } from '#storage/key.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';

const SLOTS = 4096;

const eventOf = (target: string): NewAuditEvent => ({
  ts: '2026-01-01T00:00:00.000Z',
  actor: 'ada',
  action: 'test.row',
  target,
  outcome: 'ok',
  request_id: '',
  data: {},
});

const open = (store: MemoryStore, told: () => void = () => undefined) => new EventOutbox(store, told);

function write(store: MemoryStore, outbox: EventOutbox, targets: readonly string[]): void {
  outbox.commit(
    store.begin(),
    targets.map((target) => eventOf(target)),
  );
}

async function taken(outbox: EventOutbox, limit: number): Promise<[number, string][]> {
  const { records } = await outbox.take(limit);
  return unpackEvents({ records: packEvents(records) }).map(({ source_seq, target }) => [source_seq, target]);
}

function rowsIn(store: MemoryStore): number {
  const prefix = u16(TABLES.audit_outbox.no);
  return [...store.begin().range(prefix, after(prefix))].length;
}

test('events are handed out in order with the source’s numbers until they are settled', async () => {
  const store = new MemoryStore();
  let told = 0;
  const outbox = open(store, () => told++);
  write(store, outbox, ['a', 'b']);
  write(store, outbox, ['c']);
  expect(told).toBe(1);
  expect(await outbox.take(2)).toMatchObject({ upTo: 2, more: true });
  // Main could not reach the sealer, and asks again.
  expect(await taken(outbox, 2)).toEqual([
    [1, 'a'],
    [2, 'b'],
  ]);
  outbox.settle(2);
  expect(await taken(outbox, 2)).toEqual([[3, 'c']]);
  expect(await outbox.take(2)).toMatchObject({ upTo: 3, more: false });
  outbox.settle(3);
  expect(outbox.depth).toBe(0);
  write(store, outbox, ['d']);
  expect(told).toBe(2);
  expect(await taken(outbox, 9)).toEqual([[4, 'd']]);
});

test('more than the slots wait: the rest has rows, which go when they are settled', async () => {
  const store = new MemoryStore();
  const outbox = open(store);
  const count = limits.audit.outboxHeldMax + SLOTS;
  for (let n = 0; n < count; n += 512)
    write(
      store,
      outbox,
      Array.from({ length: 512 }, (_, at) => `${n + at + 1}`),
    );
  expect(rowsIn(store)).toBe(count);
  const again = open(store);
  again.resume();
  expect(again.depth).toBe(count);
  for (let next = 1; again.depth > 0;) {
    for (const [n, target] of await taken(again, 512)) expect([n, target]).toEqual([next, String(next++)]);
    again.settle(next - 1);
  }
  expect(again.depth).toBe(0);
  expect(rowsIn(store)).toBe(SLOTS);
  // What lies in the slots is settled: nothing of it comes again.
  expect(open(store).depth).toBe(0);
});

test('rows of before there were slots are handed out', async () => {
  const store = new MemoryStore();
  const turn = store.begin();
  const rows = new Table<object>('audit_outbox', TABLES.audit_outbox);
  for (const n of [1, 2]) rows.put(turn, { n, ...eventOf(`old ${n}`) }, n);
  turn.commit();
  const outbox = open(store);
  write(store, outbox, ['new']);
  expect(await taken(outbox, 9)).toEqual([
    [1, 'old 1'],
    [2, 'old 2'],
    [3, 'new'],
  ]);
  outbox.settle(3);
  expect(rowsIn(store)).toBe(1);
});

test('a commit that fails takes no number', async () => {
  const store = new MemoryStore();
  const outbox = open(store);
  const turn = store.begin();
  turn.commit = () => {
    throw new StorageFull('disk');
  };
  expect(() => outbox.commit(turn, [eventOf('shed')])).toThrow(StorageFull);
  write(store, outbox, ['kept']);
  expect(await taken(outbox, 9)).toEqual([[1, 'kept']]);
});

test('large events are handed over a few at a time', async () => {
  const store = new MemoryStore();
  const outbox = open(store);
  const large = { ...eventOf('large'), data: { text: 'x'.repeat(limits.audit.takeBytesMax / 2) } };
  for (let i = 0; i < 6; i++) outbox.commit(store.begin(), [large]);
  expect(await taken(outbox, 512)).toHaveLength(2);
  expect(await taken(open(store), 512)).toHaveLength(2);
});

test('whatever is written, taken, settled and restarted in any order: each event once, in order', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), count: fc.integer({ min: 1, max: 3000 }) }),
    fc.record({ kind: fc.constant('pass' as const), count: fc.integer({ min: 1, max: 2500 }) }),
    fc.record({ kind: fc.constant('restart' as const), count: fc.constant(0) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const store = new MemoryStore();
      let outbox = open(store);
      let written = 0;
      const seen: number[] = [];
      const pass = async (limit: number): Promise<void> => {
        const { records, upTo } = await outbox.take(limit);
        for (const { source_seq, target } of unpackEvents({ records: packEvents(records) })) {
          expect(target).toBe(String(source_seq));
          seen.push(source_seq);
        }
        outbox.settle(upTo);
      };
      for (const { kind, count } of steps) {
        if (kind === 'restart') outbox = open(store);
        else if (kind === 'pass') await pass(count);
        else
          write(
            store,
            outbox,
            Array.from({ length: count }, () => String(++written)),
          );
      }
      while (outbox.depth > 0) await pass(2000);
      expect(seen).toEqual(Array.from({ length: written }, (_, at) => at + 1));
      expect(rowsIn(store)).toBeLessThanOrEqual(SLOTS);
    }),
    { numRuns: 25 },
  );
}, 60_000);

test('a record that is not as it was written is no event', () => {
  const record = encodeRecord(TABLES.audit_outbox.version, { n: 1, ...eventOf('a') });
  record[record.length - 1]! ^= 1;
  expect(() => unpackEvents({ records: packEvents([record]) })).toThrow('CRC does not fit');
});
