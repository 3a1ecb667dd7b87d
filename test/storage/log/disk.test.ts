import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openDirectory } from '#storage/log/directory.ts';
import { isFull } from '#storage/log/disk.ts';
import { diskCases } from './disk.cases.ts';
import { MemoryDisk } from './memory-disk.ts';

const root = mkdtempSync(join(tmpdir(), 'skep-log-disk-'));
afterAll(() => rmSync(root, { recursive: true }));
let no = 0;

describe('a directory of files', () => {
  diskCases(() => openDirectory(join(root, `${no++}`, 'log')));

  test('its files are for the owner only: they hold what people submitted', async () => {
    const path = join(root, 'modes', 'log');
    await (await openDirectory(path).open('a')).close();
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, 'a')).mode & 0o777).toBe(0o600);
  });
});

describe('the disk in memory', () => {
  diskCases(() => new MemoryDisk());

  test('a crash keeps synced bytes and the given part of the others', async () => {
    const disk = new MemoryDisk();
    const file = await disk.open('a');
    await file.write(Buffer.from('synced'), 0);
    await file.sync();
    await file.write(Buffer.from('maybe'), 6);
    expect(disk.crash(() => 0).text('a')).toBe('synced');
    expect(disk.crash((unsynced) => unsynced - 2).text('a')).toBe('syncedmay');
  });
});

test('errors of a full disk and of a broken one are distinguished', () => {
  expect(isFull(Object.assign(new Error(), { code: 'ENOSPC' }))).toBe(true);
  expect(isFull(Object.assign(new Error(), { code: 'EDQUOT' }))).toBe(true);
  expect(isFull(Object.assign(new Error(), { code: 'EIO' }))).toBe(false);
});
