import { existsSync, readdirSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EncodedWrites } from '#storage/journal/encoded-writes.ts';
import { del, durable, flush, lines, numbers, open, put, segments } from './scribe.ts';

it('gives back what was appended, in order', async () => {
  const journal = await open();
  journal.append(3, [put('a', '1'), del('b')]);
  journal.append(0, [put('\xff\0', ''), put('c', '\0\xff'.repeat(900))]);
  await durable(journal, 2);
  await journal.close(false);
  expect(lines(journal.path)).toEqual(['1:3:a=1;b', `2:0:\xff\0=;c=${'\0\xff'.repeat(900)}`]);
});

it('a record whose first writes were made ahead is the same to the byte, chunk by chunk', async () => {
  const writes = [put('a', '1'), del('b'), put('large', 'x'.repeat(300_000)), put('\xff\0', ''), put('z', '2')];
  const encoded = new EncodedWrites();
  for (const write of writes.slice(0, 4)) encoded.add(write);
  const [plain, ahead] = [await open(), await open()];
  plain.append(3, writes);
  ahead.append(3, writes, { writes: 4, bytes: encoded.bytes, chunks: encoded.chunks() });
  for (const journal of [plain, ahead]) await durable(journal, 1);
  expect(encoded.chunks().length).toBeGreaterThan(1);
  expect(ahead.stats().bytes).toBe(plain.stats().bytes);
  for (const journal of [plain, ahead]) await journal.close(false);
  expect(lines(ahead.path)).toEqual(lines(plain.path));
});

it('syncs once for all records of a turn, and once for all that came while it ran', async () => {
  const journal = await open();
  for (let i = 0; i < 20; i++) journal.append(0, [put(`a${i}`, '')]);
  await new Promise((resolve) => setImmediate(resolve));
  // The first flush is with the disk now; these wait for it together.
  for (let i = 0; i < 20; i++) journal.append(0, [put(`b${i}`, '')]);
  expect(journal.durable).toBe(0);
  await durable(journal, 40);
  expect(journal.stats()).toMatchObject({ records: 40, syncs: 2 });
  await journal.close(true);
});

it('a sync acknowledges nothing that was appended while it ran', async () => {
  const journal = await open();
  const first = journal.append(0, [put('a', '')]);
  await new Promise((resolve) => setImmediate(resolve));
  const second = journal.append(0, [put('b', '')]);
  await durable(journal, first);
  expect(journal.durable).toBe(first);
  let isTold = false;
  journal.whenDurable(second, () => (isTold = true));
  expect(isTold).toBe(false);
  await durable(journal, second);
  expect(isTold).toBe(true);
  await journal.close(true);
});

it('calls back in order, at once when already durable, and though one callback throws', async () => {
  const journal = await open();
  const called: string[] = [];
  const uncaught: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => uncaught.push(error));
  const first = journal.append(0, [put('a', '')]);
  journal.whenDurable(0, () => called.push('none'));
  journal.whenDurable(first, () => called.push('first'));
  await new Promise((resolve) => setImmediate(resolve));
  const second = journal.append(0, [put('b', '')]);
  journal.whenDurable(second, () => called.push('second'));
  journal.whenDurable(first, () => called.push('first again'));
  journal.whenDurable(first, () => {
    throw new Error('a reply that fails');
  });
  journal.whenDurable(first, () => called.push('after the throw'));
  await durable(journal, second);
  await new Promise((resolve) => setImmediate(resolve));
  process.removeAllListeners('uncaughtException');
  for (const listener of listeners) process.on('uncaughtException', listener);
  expect(called).toEqual(['none', 'first', 'first again', 'after the throw', 'second']);
  expect(uncaught).toHaveLength(1);
  await journal.close(true);
});

it('goes on in the next segment, and gives a record larger than a segment its own', async () => {
  const journal = await open();
  for (let i = 0; i < 20; i++) await flush(journal, 5, 200);
  journal.append(0, [put('large', 'x'.repeat(50_000))]);
  await durable(journal, 101);
  await flush(journal, 5, 200);
  await journal.close(false);
  expect(numbers(journal.path)).toEqual(Array.from({ length: 106 }, (_, i) => i + 1));
  const sizes = segments(journal.path).map((path) => statSync(path).size);
  expect(sizes.filter((size) => size === 8192).length).toBeGreaterThan(3);
  expect(sizes.filter((size) => size > 50_000)).toHaveLength(1);
});

it('recycles segments that every environment has passed; replay does not take their old records for new ones', async () => {
  const journal = await open();
  for (let i = 0; i < 60; i++) {
    await flush(journal, 7, 150);
    journal.retire(journal.last - 20);
  }
  await journal.close(false);
  const found = numbers(journal.path);
  expect(found.at(-1)).toBe(420);
  expect(found).toEqual(found.map((_, i) => found[0]! + i));
  expect(found[0]).toBeLessThanOrEqual(401);
  expect(readdirSync(journal.path).length).toBeLessThan(8);
  // The last segment was recycled: behind its records lie older ones.
  expect(journal.stats().segments).toBeLessThan(6);
});

it('leaves nothing behind a clean end and takes nothing more', async () => {
  const journal = await open();
  journal.append(0, [put('a', '')]);
  journal.seal();
  expect(() => journal.append(0, [put('b', '')])).toThrow('takes no more');
  await journal.close(true);
  expect(journal.durable).toBe(1);
  expect(existsSync(journal.path)).toBe(false);
});

it('acknowledges nothing once it was halted', async () => {
  const journal = await open();
  const number = journal.append(0, [put('a', '')]);
  journal.whenDurable(number, () => expect.unreachable('an acknowledgement after the halt'));
  await new Promise((resolve) => setImmediate(resolve));
  journal.halt();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(journal.durable).toBe(0);
  await journal.close(false);
});
