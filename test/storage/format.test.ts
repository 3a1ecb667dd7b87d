/** Which version may open a data directory, and which users of the machine may read it. */
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shardPath } from '#storage/archive.ts';
import { FORMAT, markFormat, readFormat } from '#storage/format.ts';
import { lockDirectory } from '#storage/lock.ts';
import { raisedVersions } from '#storage/record-versions.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { openAt, place } from './place.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

it('is noted at the first start, and gives the next start the version that served before', () => {
  const dataDir = place();
  mkdirSync(dataDir, { recursive: true });
  expect(markFormat(dataDir, '1.0.0')).toBeNull();
  const records = raisedVersions();
  expect(readFormat(dataDir)).toEqual({ format: FORMAT, skep: '1.0.0', records });
  expect(markFormat(dataDir, '1.1.0')).toEqual({ format: FORMAT, skep: '1.0.0', records });
  expect(readFormat(dataDir)).toEqual({ format: FORMAT, skep: '1.1.0', records });
});

it('notes raised versions of records, and forgets none that an older skep does not write', () => {
  const dataDir = place();
  mkdirSync(dataDir, { recursive: true });
  markFormat(dataDir, '2.0.0', { 11: 2 });
  expect(readFormat(dataDir)).toEqual({ format: FORMAT, skep: '2.0.0', records: { 11: 2 } });
  markFormat(dataDir, '2.1.0', { 11: 2, 12: 3 });
  markFormat(dataDir, '2.0.0', { 11: 2 });
  expect(readFormat(dataDir)).toEqual({ format: FORMAT, skep: '2.0.0', records: { 11: 2, 12: 3 } });
});

it('refuses a directory that a newer skep wrote, with both versions named, and leaves it as it was', async () => {
  const dataDir = place();
  await (await openAt(dataDir)).close();
  const text = `{"format":${FORMAT + 1},"skep":"9.9.9"}\n`;
  writeFileSync(join(dataDir, 'format'), text);
  const why = `has format ${FORMAT + 1}, written by skep 9.9.9; this skep knows formats up to ${FORMAT}`;
  await expect(lockDirectory(dataDir)).rejects.toThrow(why);
  for (const verb of ['check', 'dump', 'repair']) {
    const { code, err } = await skep(`storage ${verb} ${dataDir}`);
    expect([code, err]).toEqual([1, expect.stringContaining(why)]);
  }
});

it('opens a directory from before there was a format, and refuses one whose format cannot be read', async () => {
  const dataDir = place();
  await (await openAt(dataDir)).close();
  (await lockDirectory(dataDir)).release();
  for (const text of ['torn', '{"format":0,"skep":"0.2.0"}']) {
    writeFileSync(join(dataDir, 'format'), text);
    await expect(lockDirectory(dataDir)).rejects.toThrow('it says which Skep may open the directory');
  }
});

it('keeps the directory and the files of LMDB from the eyes of others, also where they were open to them', async () => {
  const dataDir = place();
  await (await openAt(dataDir)).close();
  const files = ['data.mdb', 'lock.mdb'].map((name) => join(shardPath(dataDir, 0), name));
  expect(files.map(modeOf)).toEqual([0o600, 0o600]);
  for (const file of files) chmodSync(file, 0o644);
  chmodSync(dataDir, 0o755);
  const lock = await lockDirectory(dataDir);
  await (await openAt(dataDir)).close();
  lock.release();
  expect([dataDir, ...files].map(modeOf)).toEqual([0o700, 0o600, 0o600]);
});
