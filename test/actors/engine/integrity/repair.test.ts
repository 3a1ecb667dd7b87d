/** What does not fit in a stopped directory is found both ways and made anew; a row that cannot be read is named, and taken out on demand. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkEntities } from '#actors/engine/integrity/store.ts';
import { shardPath } from '#storage/archive.ts';
import { TABLES } from '#storage/catalogue.ts';
import { checkStorage, type CheckReport } from '#storage/check.ts';
import { openEnvironment, type Write } from '#storage/environment.ts';
import { findShards, KEYS_END, placeOf, withShard, type Place } from '#storage/inspect.ts';
import { unpackDirectory } from '#test/kit/old-directory.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

interface Found {
  readonly shard: number;
  readonly key: string;
  readonly value: Buffer;
  readonly place: Place;
}

function directory(): string {
  const old = unpackDirectory('clean');
  onTestFinished(() => old.remove());
  return join(old.dir, 'data');
}

const check = (dir: string): Promise<CheckReport> => checkStorage(dir, checkEntities);

async function entries(dir: string, wanted: (place: Place, value: Uint8Array) => boolean): Promise<Found[]> {
  const found: Found[] = [];
  for (const shard of findShards(dir))
    await withShard(dir, shard, (environment) => {
      for (const { key, value } of environment.range('\0', KEYS_END)) {
        const place = placeOf(key);
        if (place !== null && wanted(place, value)) found.push({ shard, key, value: Buffer.from(value), place });
      }
    });
  return found;
}

async function write(dir: string, shard: number, ...writes: Write[]): Promise<void> {
  const environment = openEnvironment(shardPath(dir, shard), {
    onFatal: (error) => {
      throw error;
    },
  });
  await environment.commit(writes);
  await environment.close();
}

/** Entries of indexes are short and unsealed, rows are sealed records. */
const isEntry = (place: Place, value: Uint8Array): boolean => place.table >= 256 && value.length <= 17;
const isRow = (place: Place, value: Uint8Array): boolean => place.table >= 256 && value.length > 60;

test('a sound directory has no fault', async () => {
  expect(await check(directory())).toMatchObject({ faultCount: 0, entitiesChecked: true });
});

test('indexes that lack an entry, or have one too many, counts and uses: found both ways, and made anew', async () => {
  const dir = directory();
  const [lost, moved] = (await entries(dir, isEntry)).filter(({ value }) => value.length === 1) as [Found, Found];
  await write(dir, lost.shard, [lost.key, null]);
  // The entry of a value that no row has: the last byte of the row's id is turned.
  const stranger = moved.key.slice(0, -1) + String.fromCharCode(moved.key.charCodeAt(moved.key.length - 1) ^ 1);
  await write(dir, moved.shard, [stranger, moved.value]);
  const [count] = (await entries(dir, ({ table }) => table === TABLES.row_count.no)) as [Found];
  await write(dir, count.shard, [count.key, null]);
  const [use] = (await entries(dir, ({ table }) => table === TABLES.blob_use.no)) as [Found];
  await write(dir, use.shard, [use.key, null]);
  const report = await check(dir);
  expect(report.kinds).toEqual({ index: 2, count: 1, use: 1 });
  expect(report.faults.map(({ what }) => what).join('\n')).toMatch(/has no entry of a row[\s\S]*that no row holds/);
  const { code, out } = await skep(`storage repair ${dir} -o json`);
  expect([code, JSON.parse(out)]).toMatchObject([0, { mended: report.kinds, rowsLeft: 0, rewritten: [] }]);
  expect(await check(dir)).toMatchObject({ faultCount: 0 });
  const whole = await entries(dir, (place, value) => isEntry(place, value) || isRow(place, value));
  expect(whole.filter(({ key }) => key === lost.key)).toHaveLength(1);
});

test('bits of keys that flipped on the disk: the order shows it, and the shard is written anew', async () => {
  const dir = directory();
  const [entry] = (await entries(dir, (place, value) => isEntry(place, value) && place.tuple.includes('hall 1'))) as [
    Found,
  ];
  const file = join(shardPath(dir, entry.shard), 'data.mdb');
  const bytes = readFileSync(file);
  const key = Buffer.from(entry.key, 'latin1');
  let flips = 0;
  for (let at = bytes.indexOf(key); at !== -1; at = bytes.indexOf(key, at + 1)) {
    bytes[at + key.indexOf('hall 1')]! ^= 0x10;
    flips++;
  }
  expect(flips).toBeGreaterThan(0);
  writeFileSync(file, bytes);
  const report = await check(dir);
  expect(report.kinds).toMatchObject({ order: expect.any(Number), index: expect.any(Number) });
  expect((await skep(`storage check ${dir}`)).code).toBe(1);
  const { code, out } = await skep(`storage repair ${dir} -o json`);
  expect([code, JSON.parse(out)]).toMatchObject([0, { rewritten: [entry.shard], rowsLeft: 0 }]);
  expect(await check(dir)).toMatchObject({ faultCount: 0 });
  expect(existsSync(`${file}.before-repair`)).toBe(true);
  expect(await entries(dir, (place, value) => isEntry(place, value) && place.tuple.includes('hall 1'))).toContainEqual(
    entry,
  );
});

test('a row that cannot be read is named and left, until it is taken out; its bytes are kept', async () => {
  const dir = directory();
  const [row] = (await entries(dir, isRow)) as [Found];
  const damaged = Buffer.from(row.value);
  damaged[20]! ^= 1;
  await write(dir, row.shard, [row.key, damaged]);
  const report = await check(dir);
  expect(report.kinds).toEqual({ value: 1, row: 1 });
  const left = await skep(`storage repair ${dir}`);
  expect(left.code).toBe(1);
  expect(left.err).toContain('restore their tenant from a backup, or remove them with --drop-rows');
  expect((await check(dir)).kinds).toEqual({ value: 1, row: 1 });
  expect((await skep(`storage repair ${dir} --drop-rows`)).code).toBe(0);
  expect(await check(dir)).toMatchObject({ faultCount: 0 });
  const aside = JSON.parse(readFileSync(join(dir, 'set-aside.jsonl'), 'utf8')) as { value: string };
  expect(aside.value).toBe(damaged.toString('hex'));
});

test('nothing is repaired while a journal waits, and nothing is taken for a fault that is half swept', async () => {
  const old = unpackDirectory('killed');
  onTestFinished(() => old.remove());
  const dir = join(old.dir, 'data');
  expect(await check(dir)).toMatchObject({ faultCount: 0, entitiesChecked: false });
  const { code, err } = await skep(`storage repair ${dir}`);
  expect(code).toBe(1);
  expect(err).toContain('start the node and stop it once, then repair');
});
