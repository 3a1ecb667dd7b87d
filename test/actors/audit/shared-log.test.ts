/** A log whose records a database keeps: what another machine finds of it, what of it is refused, and what happens while the database is away. Contract: docs/contract/audit.md §5.4. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditLog } from '#actors/audit/audit-log.ts';
import type { LogBook } from '#actors/audit/log-book.ts';
import { MemoryLeaves, MemoryLeafServer } from '#test/storage/leaves/memory.ts';
import { LeavesAway } from '#storage/leaves/port.ts';
import { readCheckpoint } from '#storage/segment/checkpoint.ts';
import { verifyConsistency } from '#storage/segment/proof.ts';
import { BookPlace, LOG } from './book.ts';

const RECORDS_MAX = 40;

class World {
  readonly server = new MemoryLeafServer();

  /** A machine whose node serves from now on. */
  serves(name: string, place: BookPlace): LogBook {
    this.server.serving = name;
    place.leaves = new MemoryLeaves(this.server, name);
    return place.open(RECORDS_MAX);
  }

  get size(): number {
    return this.server.logs.get(LOG)!.entries.length;
  }
}

async function targets(log: AuditLog): Promise<string[]> {
  await log.published(log.head?.size ?? 0);
  const entries = await log.records(0, 100_000);
  return entries.map((entry) => (JSON.parse(entry.toString()) as { source_seq: number }).source_seq.toString());
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at + 1));

test('another machine goes on with the log: each record once, and every checkpoint continued', async () => {
  const world = new World();
  const one = new BookPlace();
  const two = new BookPlace(one);
  const first = await world.serves('one', one).open(LOG);
  await one.append(first, 300);
  await first.published(250);
  const seen = first.head!;
  await one.append(first, 3); // no checkpoint covers them

  const second = await world.serves('two', two).open(LOG);
  expect(second.head!.size).toBeGreaterThanOrEqual(seen.size);
  expect(second.lastOf('test')).toBe(303);
  const { index, count } = await second.append([{ ...(await eventOf(first, 302)), source_seq: 303 }]);
  expect({ index, count }).toEqual({ index: null, count: 0 });
  await two.append(second, 20);
  await second.published(323);
  expect(await targets(second)).toEqual(numbers(323));
  const proof = await second.hashes(323).consistency(seen.size);
  const [from, to] = [seen, second.head!].map(({ root }) => Buffer.from(root, 'base64'));
  expect(verifyConsistency(seen.size, 323, from!, to!, proof)).toBe(true);
  await second.close();
  expect(await two.verify()).toMatchObject({ verdict: 'good', size: 323 });
});

async function eventOf(log: AuditLog, index: number) {
  const [entry] = await log.records(Math.min(index, log.head!.size - 1), 1);
  return JSON.parse(entry!.toString()) as never as Parameters<AuditLog['append']>[0][number];
}

test('what is settled before the place has it is missing on the next machine', async () => {
  const world = new World();
  const one = new BookPlace();
  const two = new BookPlace(one);
  const book = world.serves('one', one);
  one.leaves!.append = () => Promise.resolve();
  one.leaves!.publish = () => Promise.resolve();
  const lost = await one.open(RECORDS_MAX).open(LOG);
  await one.append(lost, 5);
  await book.close();
  const next = await world.serves('two', two).open(LOG);
  expect(await targets(next)).not.toEqual(numbers(5));
});

test('the machine that was overtaken adds nothing, signs nothing, and may not open the log', async () => {
  const world = new World();
  const one = new BookPlace();
  const two = new BookPlace(one);
  const before = world.serves('one', one);
  const first = await before.open(LOG);
  await one.append(first, 5);
  await first.published(5);
  const second = await world.serves('two', two).open(LOG);
  await two.append(second, 1);
  const fate = (await first.append([{ ...(await eventOf(first, 4)), source_seq: 99 }])).fate;
  expect(fate).toBe('failed');
  expect(first.head!.size).toBe(5);
  expect(one.fatal).toEqual([]);
  await expect(before.open(LOG)).rejects.toMatchObject({ why: 'held' });
  await two.append(second, 1);
  await second.published(7);
  expect(world.size).toBe(7);
  expect(await targets(second)).toEqual(numbers(7));
});

test('a machine that comes back brings what it lacks, also where another one signed what it had not', async () => {
  const world = new World();
  const one = new BookPlace();
  const two = new BookPlace(one);
  let log = await world.serves('one', one).open(LOG);
  await one.append(log, 60);
  await log.published(60);
  await one.append(log, 2);
  const fell = one.keep(); // the two are on the disk, and not signed
  await log.abandon();
  log = await world.serves('two', two).open(LOG);
  await log.published(62);
  await log.close();
  fell.bringBack();
  log = await world.serves('one', one).open(LOG);
  await log.published(62);
  await one.append(log, 1);
  await log.close();
  for (const [name, place] of [
    ['two', two],
    ['one', one],
  ] as const) {
    log = await world.serves(name, place).open(LOG);
    expect(log.head!.size).toBe(world.size);
    await place.append(log, 50);
    await log.close();
    expect(await place.verify()).toMatchObject({ verdict: 'good', size: world.size });
  }
});

test('records and files of before are taken by the place, once', async () => {
  const world = new World();
  const one = new BookPlace();
  const two = new BookPlace(one);
  let log = await one.open(RECORDS_MAX).open(LOG);
  await one.append(log, 300);
  await one.append(log, 1, { text: 'x'.repeat(70_000) });
  await log.close();
  log = await world.serves('one', one).open(LOG);
  expect(world.size).toBe(301);
  await one.append(log, 1, { text: 'y'.repeat(70_000) });
  await log.published(302);
  await log.close();
  const next = await world.serves('two', two).open(LOG);
  await next.close();
  expect((await next.files.names('blob')).length).toBe(2);
  expect(await two.verify()).toMatchObject({ verdict: 'good', size: 302 });
});

test('another history, another key, and a place that was put back are refused; nothing of them is signed', async () => {
  const world = new World();
  const one = new BookPlace();
  const other = new BookPlace(one);
  const own = await other.open(RECORDS_MAX).open(LOG);
  await other.append(own, 4, { of: 'other' });
  await own.close();
  let log = await world.serves('one', one).open(LOG);
  await one.append(log, 8);
  await log.published(8);
  await log.close();
  const note = other.heads.get(LOG)!.note;
  await expect(world.serves('two', other).open(LOG)).rejects.toMatchObject({ why: 'fork' });
  expect(other.heads.get(LOG)!.note).toBe(note);
  await expect(world.serves('three', new BookPlace()).open(LOG)).rejects.toMatchObject({ why: 'key' });
  const kept = world.server.logs.get(LOG)!;
  kept.entries.length = 6;
  kept.head = null;
  log = await world.serves('one', one).open(LOG); // nothing was signed there: it takes what is here
  expect(world.size).toBe(8);
  await log.close();
  kept.entries.length = 6;
  kept.head = { size: 5, root: '', note: '' };
  await expect(world.serves('one', one).open(LOG)).rejects.toMatchObject({ why: 'rollback' });
});

test('while the place is away records wait, and no log is opened; then all are there', async () => {
  const world = new World();
  const one = new BookPlace();
  const book = world.serves('one', one);
  const log = await book.open(LOG);
  await one.append(log, 2);
  await log.published(2);
  world.server.goAway();
  let isKept = false;
  const waits = one.append(log, 1).then(() => (isKept = true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isKept).toBe(false);
  await expect(book.open('node/platform')).rejects.toThrow(LeavesAway);
  world.server.comeBack();
  await waits;
  await log.published(3);
  expect(world.size).toBe(3);
  expect(readCheckpoint(Buffer.from(world.server.logs.get(LOG)!.head!.note))!.size).toBe(3);
  world.server.goAway();
  const lost = log.append([{ ...(await eventOf(log, 2)), source_seq: 4 }]);
  await one.leaves!.close(); // the process ends, and waits no longer
  expect((await lost).fate).toBe('failed');
  await book.close();
  expect(one.fatal).toEqual([]);
});

test('a directory that lost its records, and not its signed heads, is refused', async () => {
  const world = new World();
  const one = new BookPlace();
  const log = await world.serves('one', one).open(LOG);
  await one.append(log, 2);
  await log.close();
  rmSync(join(one.directory, LOG), { recursive: true });
  await expect(world.serves('one', one).open(LOG)).rejects.toMatchObject({ why: 'rollback' });
});
