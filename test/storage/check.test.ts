import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shardPath } from '#storage/archive.ts';
import { DYNAMIC_TABLE_FIRST, TABLES } from '#storage/catalogue.ts';
import { checkStorage, type CheckReport } from '#storage/check.ts';
import { dumpStorage, type DumpFilter } from '#storage/dump.ts';
import { openEnvironment } from '#storage/environment.ts';
import { findJournals } from '#storage/journal/directories.ts';
import { Decimal, tuple, u16, u32 } from '#storage/key.ts';
import { encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import { openAt, place } from './place.ts';
import { segments } from '#test/storage/journal/scribe.ts';

const ROW = DYNAMIC_TABLE_FIRST + 1;

/** A stopped directory with a fixed table, a row and its index entry, and a journal that LMDB has not followed to its end. */
async function stopped(): Promise<string> {
  const dataDir = place();
  const archive = await openAt(dataDir);
  const turn = archive.store(0, 5).begin();
  new Table('user', TABLES.user).put(turn, { login: 'ada', salt: Buffer.from('ab') }, 'u1');
  turn.put(u16(ROW) + tuple('id', 7), encodeRecord(1, ['Ada', 36n]));
  turn.put(u16(ROW + 1) + tuple(new Decimal('1.50'), true), Buffer.from(tuple('id', 7), 'latin1'));
  turn.commit();
  await archive.close();
  return dataDir;
}

async function dumped(dataDir: string, filter?: DumpFilter): Promise<unknown[]> {
  const lines: unknown[] = [];
  await dumpStorage(dataDir, (line) => lines.push(JSON.parse(line)), filter);
  return lines;
}

/** The line of a fault is its place and what is wrong there: the place stands in it once. */
function expectPlacesOnce({ faults }: CheckReport): void {
  for (const { where, what } of faults) expect(what).not.toContain(where);
}

it('finds no fault in a sound directory and counts what is there', async () => {
  const report = await checkStorage(await stopped());
  expect(report).toMatchObject({ faultCount: 0, faults: [], journals: [] });
  expect(report.shards).toEqual([
    { no: 0, entries: 3, epoch: 1, number: 1 },
    { no: 1, entries: 0, epoch: 0, number: 0 },
  ]);
  expect(await checkStorage(place())).toEqual({
    shards: [],
    journals: [],
    faultCount: 0,
    kinds: {},
    entitiesChecked: false,
    faults: [],
  });
});

it('takes the empty values of a table without values for what they are, and tells one that is not empty', async () => {
  const dataDir = place();
  const archive = await openAt(dataDir);
  const turn = archive.store(0, 5).begin();
  turn.put(u16(TABLES.blob_use.no) + 'any bytes of a digest', new Uint8Array(0));
  turn.put(u16(TABLES.blob_use.no) + 'others', Buffer.from('x'));
  turn.commit();
  await archive.close();
  const report = await checkStorage(dataDir);
  expect([report.faultCount, report.shards[0]!.entries]).toEqual([1, 2]);
  expect(report.faults[0]!.what).toContain('its table keeps no values');
});

it('names the place of every value whose CRC does not fit', async () => {
  const dataDir = await stopped();
  const environment = openEnvironment(shardPath(dataDir, 0), { onFatal: () => undefined });
  const spoilt: [string, Buffer][] = [];
  for (const { key, value } of environment.range('\0', '\xfe')) {
    const copy = Buffer.from(value);
    copy[0]! ^= 8;
    copy[copy.length - 1]! ^= 1;
    spoilt.push([key, copy]);
  }
  await environment.commit(spoilt);
  await environment.close();
  const report = await checkStorage(dataDir);
  expect(report.faultCount).toBe(3);
  expect(report.faults[0]!.where).toMatch(/^shard 0, key 0000000500000b30/);
  expect(report.faults.every(({ what }) => what.includes('CRC does not fit'))).toBe(true);
  expectPlacesOnce(report);
});

it('counts all faults, and tells the first ones of each kind', async () => {
  const dataDir = await stopped();
  const environment = openEnvironment(shardPath(dataDir, 0), { onFatal: () => undefined });
  const key = (i: number): string => u32(5) + '\0' + u16(TABLES.user.no) + tuple(`u${i}`);
  await environment.commit(Array.from({ length: 30 }, (_, i) => [key(i), Buffer.from('no CRC')] as [string, Buffer]));
  await environment.close();
  const [path] = [join(shardPath(dataDir, 0), 'data.mdb')];
  const file = readFileSync(path);
  // The first text of a row's key in the tree: what was the least of them is above its neighbour then.
  for (let at = file.indexOf('0u10\0'); at !== -1; at = file.indexOf('0u10\0', at + 1)) file[at + 1] = 0x7a;
  writeFileSync(path, file);
  const report = await checkStorage(dataDir);
  expect(report.kinds).toEqual({ value: 30, order: 1 });
  expect(report.faultCount).toBe(31);
  expect(report.faults.filter(({ kind }) => kind === 'value')).toHaveLength(20);
  expect(report.faults.filter(({ kind }) => kind === 'order')).toHaveLength(1);
});

it('tells a record that is newer than the code', async () => {
  const dataDir = place();
  const archive = await openAt(dataDir);
  const turn = archive.store(0, 5).begin();
  turn.put(u16(TABLES.user.no) + tuple('u1'), encodeRecord(7, { login: 'ada' }));
  turn.commit();
  await archive.close();
  const report = await checkStorage(dataDir);
  expect(report.kinds).toEqual({ value: 1 });
  expect(report.faults[0]!.what).toContain('the record has version 7, this skep knows versions up to 2');
  expectPlacesOnce(report);
});

it('reads journals: counts their records, and reports a bad one', async () => {
  const dataDir = place();
  const archive = await openAt(dataDir, { schedule: () => undefined });
  const store = archive.store(0, 1);
  for (let i = 0; i < 3; i++) {
    const turn = store.begin();
    turn.put('a', Buffer.from(`value ${i}`));
    turn.del('b');
    turn.commit();
    await new Promise<void>((resolve) => store.whenDurable(turn.newest, resolve));
  }
  const [path] = findJournals(dataDir);
  expect((await checkStorage(dataDir)).journals).toEqual([{ path, records: 3, writes: 6 }]);
  const segment = segments(path!)[0]!;
  const file = readFileSync(segment);
  file[file.indexOf('value 1')]! ^= 1;
  writeFileSync(segment, file);
  const report = await checkStorage(dataDir);
  expect([report.faultCount, report.journals[0]!.records]).toEqual([1, 1]);
  expect(report.faults[0]!.what).toContain('record 2 was durable');
  expectPlacesOnce(report);
});

it('reports an environment that cannot be read, over which LMDB would end the process', async () => {
  const dataDir = await stopped();
  writeFileSync(join(shardPath(dataDir, 1), 'data.mdb'), Buffer.alloc(8192, 1));
  await expect(openAt(dataDir)).rejects.toThrow('neither of its first pages');
  const report = await checkStorage(dataDir);
  expect([report.faultCount, report.faults[0]!.where]).toEqual([1, 'shard 1']);
});

it('refuses an environment whose file ends before its tree begins, over which reading would end the process', async () => {
  const dataDir = await stopped();
  truncateSync(join(shardPath(dataDir, 0), 'data.mdb'), 8192);
  await expect(openAt(dataDir)).rejects.toThrow('the file ends before: the disk has lost synced writes');
  const report = await checkStorage(dataDir);
  expect([report.faultCount, report.faults[0]!.where]).toEqual([1, 'shard 0']);
});

it('begins anew over what a power cut left of the very first opening', async () => {
  const dataDir = await stopped();
  writeFileSync(join(shardPath(dataDir, 1), 'data.mdb'), Buffer.alloc(8192));
  await (await openAt(dataDir)).close();
  expect((await checkStorage(dataDir)).faultCount).toBe(0);
});

it('dumps each entry as people read it', async () => {
  const dataDir = await stopped();
  const where = { shard: 0, tenant: 5, datastore: 0 };
  const row = { ...where, table: ROW, key: ['id', 7], version: 1, value: ['Ada', '36'] };
  const user = {
    ...where,
    table: 'user',
    key: ['u1'],
    version: TABLES.user.version,
    value: { login: 'ada', salt: { hex: '6162' } },
  };
  const entry = { ...where, table: ROW + 1, key: ['1.5', true], entry: ['id', 7] };
  expect(await dumped(dataDir)).toEqual([user, row, entry]);
  expect(await dumped(dataDir, { table: ROW })).toEqual([row]);
  expect(await dumped(dataDir, { tenant: 6 })).toEqual([]);
});
