import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { examineDisk } from '#runtime/doctor/disk.ts';

const EXT4 = 0xef53;
const GIB = 1024 ** 3;
const facts = { kind: EXT4, freeBytes: 10 * GIB, syncsPerSecond: 1000 };
const states = (more: Partial<typeof facts>) =>
  examineDisk('/data', GIB, { ...facts, ...more }).map(({ state }) => state);

test.each([
  [{}, ['ok', 'ok', 'ok']],
  [{ freeBytes: 2 * GIB }, ['ok', 'ok', 'ok']],
  [{ freeBytes: 2 * GIB - 1 }, ['ok', 'warning', 'ok']],
  [{ freeBytes: GIB - 1 }, ['ok', 'fault', 'ok']],
  [{ syncsPerSecond: 99 }, ['ok', 'ok', 'warning']],
])('%j', (more, expected) => {
  expect(states(more)).toEqual(expected);
});

test.each([
  [0x01021994, /tmpfs: it is memory/],
  [0x6969, /NFS: locks and memory maps/],
  [0x794c7630, /overlayfs: it is the writable layer of a container/],
])('file system 0x%x is a warning', (kind, why) => {
  expect(examineDisk('/data', 0, { ...facts, kind })[0]).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(why),
  });
});

test('measured on a real disk, beside a directory that is not there yet; nothing stays', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-doctor-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const [, space, speed] = examineDisk(join(dir, 'data'), 0);
  expect(space!.detail).toMatch(/^\d+\.\d GiB free; writes are refused below 0\.0 GiB$/);
  expect(Number(/^\d+/.exec(speed!.detail))).toBeGreaterThan(0);
  expect(readdirSync(dir)).toEqual([]);
});
