/** A search as a file: how far it goes, and what it says where it ends. */
import { expect, test } from 'vitest';
import { exportOf } from '#console/audit/export.ts';
import type { AuditRecord } from '#console/audit/shapes.ts';

const record = (seq: number) => ({ seq }) as AuditRecord;
/** A log read by pages of three. */
const read = async (before: number) => {
  const from = Math.max(0, before - 3);
  return { from, records: Array.from({ length: before - from }, (_, at) => record(before - 1 - at)) };
};

test('all records before an end, newest first, each once', async () => {
  const { text, count, from } = await exportOf(8, read);
  expect([count, from]).toEqual([8, 0]);
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map((seq) => ({ seq })));
});

test('a file that is full says where it ends', async () => {
  const { count, from } = await exportOf(100, read, 20);
  expect([count, from]).toEqual([3, 97]);
});

test('a search that finds nothing reads so far and no further', async () => {
  let asks = 0;
  const none = async (before: number) => ({ from: before - 1, records: [], asked: ++asks });
  expect(await exportOf(10_000, none)).toEqual({ text: '', count: 0, from: 9800 });
  expect(asks).toBe(200);
});
