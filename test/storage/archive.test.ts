import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openArchive, shardPath, type Archive, type ArchiveOptions } from '#storage/archive.ts';
import { openEnvironment } from '#storage/environment.ts';
import { StorageFull } from '#storage/fault.ts';
import { findJournals, nextEpoch, retireJournals } from '#storage/journal/directories.ts';
import type { Store } from '#storage/port.ts';
import { bytes, openAt, place, text } from './place.ts';

/** An archive whose LMDB follows only when the test says so. */
async function held(options: Partial<ArchiveOptions> = {}): Promise<{ archive: Archive; follow: () => Promise<void> }> {
  let open = false;
  const waiting: (() => void)[] = [];
  const archive = await openAt(place(), {
    schedule: (begin) => (open ? begin() : waiting.push(begin)),
    ...options,
  });
  const follow = async (): Promise<void> => {
    open = true;
    for (const begin of waiting.splice(0)) begin();
    await archive.drain();
    open = false;
  };
  onTestFinished(async () => {
    open = true;
    for (const begin of waiting.splice(0)) begin();
    await archive.close();
  });
  return { archive, follow };
}

function write(store: Store, ...pairs: readonly (readonly [key: string, value: string | null])[]): number {
  const turn = store.begin();
  for (const [key, value] of pairs) {
    if (value === null) turn.del(key);
    else turn.put(key, bytes(value));
  }
  turn.commit();
  return turn.newest;
}

const durable = (store: Store, number: number): Promise<void> =>
  new Promise((resolve) => store.whenDurable(number, resolve));

const dump = (store: Store): string[] =>
  Array.from(store.begin().range('', '\xff'), ({ key, value }) => `${key}=${text(value)}`);

it('a sealed archive takes no more, what it took is durable, and LMDB has it when it is closed', async () => {
  const data = place();
  const archive = await openAt(data);
  const store = archive.store(0, 1);
  const number = write(store, ['a', '1']);
  await archive.seal();
  await durable(store, number);
  expect(() => write(store, ['b', '2'])).toThrow();
  await archive.seal();
  await archive.close();
  const again = await openAt(data);
  expect(dump(again.store(0, 1))).toEqual(['a=1']);
  await again.close();
});

it('keeps tenants, datastores and shards apart', async () => {
  const archive = await openAt(place());
  const places = [
    [0, 1, 0],
    [0, 1, 1],
    [0, 2, 0],
    [1, 1, 0],
    [1, 0xfffffffe, 255],
  ] as const;
  const stores = places.map(([shard, tenant, datastore]) => archive.store(shard, tenant, datastore));
  stores.forEach((store, i) => write(store, ['a', String(i)], ['\xff\xff', 'end']));
  const expected = places.map((_, i) => [`a=${i}`]);
  expect(stores.map(dump)).toEqual(expected);
  await archive.drain();
  expect(stores.map(dump)).toEqual(expected);
  expect(() => archive.store(2, 1)).toThrow('not open here');
  expect(() => archive.store(0, 0xffffffff)).toThrow('no such place');
  expect(() => archive.store(0, 1, 256)).toThrow('no such place');
  await archive.close();
});

it('refuses a turn past the bound of the overlay, stages nothing of it, and goes on when LMDB has followed', async () => {
  const { archive, follow } = await held({ limits: { overlayEntriesMax: 3 } });
  const store = archive.store(0, 1);
  write(store, ['a', '1'], ['b', '1']);
  expect(() => write(store, ['c', '1'], ['d', '1'])).toThrow(StorageFull);
  expect(dump(store)).toEqual(['a=1', 'b=1']);
  write(store, ['c', '1']);
  expect(() => write(archive.store(1, 1), ['x', '1'])).toThrow('too many writes wait for LMDB');
  await follow();
  expect(archive.stats()).toMatchObject({ overlayEntries: 0, overlayBytes: 0 });
  write(store, ['d', '1']);
  expect(dump(store)).toEqual(['a=1', 'b=1', 'c=1', 'd=1']);
});

it('counts the bytes of the overlay too', async () => {
  const { archive, follow } = await held({ limits: { overlayBytesMax: 100 } });
  const store = archive.store(0, 1);
  const turn = store.begin();
  turn.put('a', bytes('x'.repeat(90)));
  turn.put('a', bytes('x'.repeat(80)));
  turn.commit();
  expect(archive.stats().overlayBytes).toBe(86);
  expect(() => write(store, ['b', 'x'.repeat(10)])).toThrow(StorageFull);
  await follow();
  expect(archive.stats().overlayBytes).toBe(0);
});

it('refuses turns when the disk has less room than the watermark', async () => {
  const archive = await openAt(place(), { limits: { freeBytesMin: Number.MAX_SAFE_INTEGER } });
  const store = archive.store(0, 1);
  expect(() => write(store, ['a', '1'])).toThrow('free space is below the watermark');
  expect(dump(store)).toEqual([]);
  await archive.close();
});

it('gives a turn the newest record of all that it read: values, absences, scans, and what it wrote', async () => {
  const { archive, follow } = await held();
  const store = archive.store(0, 1);
  write(store, ['old', '1'], ['gone', '1']);
  await follow();
  const first = write(store, ['a', '1'], ['b', '1']);
  const second = write(store, ['gone', null]);
  const third = write(store, ['z', '1']);
  const newest = (use: (turn: ReturnType<Store['begin']>) => unknown): number => {
    const turn = store.begin();
    use(turn);
    return turn.newest;
  };
  expect(newest((turn) => turn.get('old'))).toBe(0);
  expect(newest((turn) => turn.get('never'))).toBe(0);
  expect(newest((turn) => turn.get('a'))).toBe(first);
  expect(newest((turn) => expect(turn.get('gone')).toBeUndefined())).toBe(second);
  expect(newest((turn) => Array.from(turn.range('a', 'c')))).toBe(first);
  expect(newest((turn) => Array.from(turn.range('a', 'h')))).toBe(second);
  expect(newest((turn) => Array.from(turn.range('h', 'p')))).toBe(0);
  expect(newest((turn) => Array.from(turn.range('', '\xff', true)))).toBe(third);
  expect(newest((turn) => turn.abort())).toBe(0);
  expect([store.snapshot().newest, third]).toEqual([third, third]);
});

it('replays what LMDB had not followed, once, whatever owner comes next', async () => {
  const dataDir = place();
  const image = join(place(), 'image');
  const archive = await openAt(dataDir, { schedule: () => undefined });
  const [one, two] = [archive.store(0, 1), archive.store(1, 1)];
  await durable(one, write(one, ['a', '1'], ['b', '1']));
  await durable(two, write(two, ['a', 'two']));
  await durable(one, write(one, ['b', null], ['c', '3']));
  cpSync(dataDir, image, { recursive: true });

  // The shards go to two owners, each of which replays its own records of the one journal.
  const journals = findJournals(image);
  const left = await openAt(image, { shards: [0], name: 'left', replay: journals });
  const right = await openAt(image, { shards: [1], name: 'right', replay: journals });
  expect([left.stats().replayed, right.stats().replayed]).toEqual([2, 1]);
  expect([dump(left.store(0, 1)), dump(right.store(1, 1))]).toEqual([['a=1', 'c=3'], ['a=two']]);
  await durable(left.store(0, 1), write(left.store(0, 1), ['a', '2']));
  await Promise.all([left.close(), right.close()]);

  // The old journal is still there: its records are older than what the shards have seen since.
  const again = await openAt(image, { replay: journals });
  expect([again.stats().replayed, dump(again.store(0, 1))]).toEqual([0, ['a=2', 'c=3']]);
  retireJournals(journals);
  await again.close();
  expect(findJournals(image)).toEqual([]);
});

it('refuses an epoch that a shard has seen', async () => {
  const dataDir = place();
  const archive = await openAt(dataDir);
  write(archive.store(0, 1), ['a', '1']);
  await archive.close();
  const options = { dataDir, shards: [0], name: 'test', replay: [], onFatal: () => undefined };
  await expect(openArchive({ ...options, epoch: 1 })).rejects.toThrow('has seen epoch 1');
  await (await openArchive({ ...options, epoch: nextEpoch(dataDir) })).close();
});

it('splits a turn larger than a commit, and moves its number on with the last part only', async () => {
  const dataDir = place();
  const begins: (() => void)[] = [];
  const limits = { commitPutsMax: 10, commitRowsMax: 5 };
  const archive = await openAt(dataDir, { schedule: (begin) => begins.push(begin), limits });
  const store = archive.store(0, 1);
  const keys = Array.from({ length: 25 }, (_, i) => `k${String(i).padStart(2, '0')}`);
  await durable(store, write(store, ...keys.map((key) => [key, '1'] as const)));
  begins.shift()!();
  while (archive.stats().shards[0]!.commits === 0) await new Promise((resolve) => setImmediate(resolve));
  const image = join(place(), 'image');
  cpSync(dataDir, image, { recursive: true });
  expect(archive.stats().shards[0]).toEqual({ lag: 25, commits: 1 });
  expect(dump(store)).toHaveLength(25);

  // Ten of the writes are in LMDB; the replay brings the record whole, in commits of its own bound.
  const next = await openAt(image, { limits });
  expect([next.stats().replayed, dump(next.store(0, 1)).length]).toEqual([1, 25]);
  await next.close();
});

it('writes a hot row once for many turns', async () => {
  const { archive, follow } = await held();
  const store = archive.store(0, 1);
  let last = 0;
  for (let i = 0; i < 500; i++) last = write(store, ['hot', String(i)]);
  await durable(store, last);
  expect(archive.stats().shards[0]!.lag).toBe(500);
  write(store, ['hot', 'in flight']);
  await follow();
  expect(archive.stats().shards[0]).toEqual({ lag: 0, commits: 1 });
  expect(dump(store)).toEqual(['hot=in flight']);
});

it('writes nothing of a sweep before all of it is durable: what a crash tears away was never in LMDB', async () => {
  const dataDir = place();
  const begins: (() => void)[] = [];
  const archive = await openAt(dataDir, { schedule: (begin) => begins.push(begin) });
  const store = archive.store(0, 1);
  await durable(store, write(store, ['a', 'acknowledged']));
  write(store, ['a', 'in flight'], ['b', 'in flight']);
  begins.shift()!();
  // The journal writes at the end of this turn of the event loop: the second record is not on the disk yet.
  const image = join(place(), 'image');
  cpSync(dataDir, image, { recursive: true });
  const next = await openAt(image);
  expect([next.stats().replayed, dump(next.store(0, 1))]).toEqual([1, ['a=acknowledged']]);
  await next.close();
  await archive.drain();
  expect([archive.stats().shards[0]!.lag, dump(store)]).toEqual([0, ['a=in flight', 'b=in flight']]);
});

it('closes a snapshot that is held too long, and never lets its scan look complete', async () => {
  const archive = await openAt(place(), { limits: { snapshotMsMax: 1 } });
  const store = archive.store(0, 1);
  write(store, ['a', '1'], ['b', '1']);
  await archive.drain();
  const snapshot = store.snapshot();
  const scan = snapshot.range('', '\xff');
  expect(scan.next().value?.key).toBe('a');
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(() => snapshot.get('a')).toThrow('the snapshot is closed');
  expect(() => scan.next()).toThrow('the snapshot is closed');
  await archive.close();
});

it('applies everything before a clean end, leaves no journal, and takes no more', async () => {
  const dataDir = place();
  const archive = await openAt(dataDir);
  const store = archive.store(0, 1);
  write(store, ['a', '1']);
  const closed = archive.close();
  expect(() => write(store, ['b', '1'])).toThrow('takes no more');
  await closed;
  expect([existsSync(join(dataDir, 'journal')), readdirSync(join(dataDir, 'journal'))]).toEqual([true, []]);
  const environment = openEnvironment(shardPath(dataDir, 0), { onFatal: () => undefined });
  expect(Array.from(environment.range('\0', '\xff')).length).toBe(1);
  await environment.close();
});

it('fails as a whole at the first failed commit: reported once, drain rejects, the journal stays', async () => {
  const dataDir = place();
  const reported: Error[] = [];
  const archive = await openAt(dataDir, {
    onFatal: (error) => reported.push(error),
    limits: { commitAnswerMs: 1, commitPutsMax: 40_000, commitRowsMax: 40_000, segmentBytes: 16 * 1024 * 1024 },
  });
  const store = archive.store(0, 1);
  const turn = store.begin();
  for (let i = 0; i < 40_000; i++) turn.put(`k${i}`, bytes('v'.repeat(100)));
  turn.commit();
  await expect(archive.drain()).rejects.toThrow('failed');
  expect(reported).toHaveLength(1);
  expect(() => write(store, ['a', '1'])).toThrow('takes no more');
  await expect(archive.close()).rejects.toThrow('failed');
  expect(findJournals(dataDir)).toHaveLength(1);
});
