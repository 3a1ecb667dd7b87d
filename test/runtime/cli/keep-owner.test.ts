/** What root leaves in a directory of another user: the files of commands that an operator runs as root beside a service. */
import { chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { giveTo, ownerOf } from '#runtime/cli/keep-owner.ts';

const SERVICE = { uid: 61_001, gid: 61_001 };
const isRoot = process.geteuid!() === 0;

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-owner-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

test('the owner of what is not there yet is that of the nearest directory above it', () => {
  const { uid, gid } = ownerOf(join(directory(), 'data', 'shards'));
  expect({ uid, gid }).toEqual({ uid: process.geteuid!(), gid: process.getegid!() });
});

test.skipIf(!isRoot)("root's files become the owner's, others stay, and no link is followed", () => {
  const dir = directory();
  const elsewhere = directory();
  chownSync(dir, SERVICE.uid, SERVICE.gid);
  mkdirSync(join(dir, 'shards'));
  for (const name of ['shards/0', 'other']) writeFileSync(join(dir, name), '');
  chownSync(join(dir, 'other'), 61_002, 61_002);
  symlinkSync(elsewhere, join(dir, 'link'));
  giveTo(ownerOf(dir), dir);
  const owners = Object.fromEntries(
    ['shards', 'shards/0', 'other', 'link'].map((name) => [name, lstatSync(join(dir, name)).uid]),
  );
  expect(owners).toEqual({ shards: SERVICE.uid, 'shards/0': SERVICE.uid, other: 61_002, link: SERVICE.uid });
  expect(lstatSync(elsewhere).uid).toBe(0);
});
