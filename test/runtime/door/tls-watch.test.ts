/** Certificates that change on the disk: when a door is told to read them, and when the log says that they cannot be used. */
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { TlsWatch } from '#runtime/door/tls-watch.ts';

let dir: string;
let told: boolean[];
let isUsable: boolean;
let watch: TlsWatch;

/** As Kubernetes mounts a secret: names that are links through `..data`, which is swapped. */
function swap(version: string): void {
  mkdirSync(join(dir, version));
  for (const name of ['cert', 'key']) writeFileSync(join(dir, version, name), `${name} ${version}`);
  symlinkSync(version, join(dir, '..tmp'));
  renameSync(join(dir, '..tmp'), join(dir, '..data'));
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'skep-watch-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  swap('1');
  for (const name of ['cert', 'key']) symlinkSync(join('..data', name), join(dir, name));
  told = [];
  isUsable = true;
  watch = await TlsWatch.of({ certFile: join(dir, 'cert'), keyFile: join(dir, 'key') }, async (isLast) => {
    told.push(isLast);
    return isUsable;
  });
});

test('nothing is read while nothing changes, also where a file is touched or written anew as it was', async () => {
  await watch.look();
  writeFileSync(join(dir, '1', 'cert'), 'cert 1');
  await watch.look();
  expect(told).toEqual([]);
});

test('a swapped link is one change', async () => {
  swap('2');
  await watch.look();
  await watch.look();
  expect(told).toEqual([false]);
});

test('what changed before the first look is noticed', async () => {
  copyFileSync(join(dir, '1', 'key'), join(dir, '1', 'cert'));
  await watch.look();
  expect(told).toEqual([false]);
});

test('half of a pair waits quietly for the other half', async () => {
  isUsable = false;
  writeFileSync(join(dir, '1', 'cert'), 'cert 2');
  await watch.look();
  isUsable = true;
  writeFileSync(join(dir, '1', 'key'), 'key 2');
  await watch.look();
  await watch.look();
  expect(told).toEqual([false, false]);
});

test('a pair that stays unusable is told once, and the next change is a new one', async () => {
  isUsable = false;
  rmSync(join(dir, '1', 'key'));
  for (let i = 0; i < 4; i++) await watch.look();
  expect(told).toEqual([false, true]);
  isUsable = true;
  swap('2');
  await watch.look();
  expect(told).toEqual([false, true, false]);
});

test('what the operator had read is not read again', async () => {
  swap('2');
  await watch.read();
  await watch.look();
  expect(told).toEqual([]);
});
