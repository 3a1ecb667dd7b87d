import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DirectoryCopies } from '#storage/shard-copy/directory-place.ts';
import { pieceName, readPieceName } from '#storage/shard-copy/piece-name.ts';
import { copyName, readCopyName } from '#storage/shard-copy/place.ts';
import { place as directory } from '#test/storage/place.ts';
import { placeCases } from './place.cases.ts';

placeCases(() => {
  const root = directory();
  return Promise.resolve((log) => new DirectoryCopies(root, log));
});

const NAME = { shard: 3, seq: 5, chain: 'ab'.repeat(16), madeMs: 1_764_000_000_000, sha256: 'cd'.repeat(32) };

test('a directory that is not there is not made: its disk may not be mounted', async () => {
  const root = directory();
  const path = join(root, 'file');
  writeFileSync(path, 'x');
  await expect(new DirectoryCopies(join(root, 'away'), 'log').put(copyName(NAME), path)).rejects.toThrow('mounted');
});

test('what a killed process left on its way goes after a day, and nothing younger does', async () => {
  const root = directory();
  const incoming = join(root, 'log', 'incoming');
  mkdirSync(incoming, { recursive: true });
  for (const name of ['old', 'young']) writeFileSync(join(incoming, name), 'half');
  utimesSync(join(incoming, 'old'), 1, 1);
  const path = join(root, 'file');
  writeFileSync(path, 'x');
  const place = new DirectoryCopies(root, 'log');
  await place.put(copyName(NAME), path);
  expect(readdirSync(incoming)).toEqual(['young']);
  rmSync(join(root, 'log', copyName(NAME)));
  expect(await place.list(3)).toEqual([]);
});

test('a name of a piece says what it was made of, and a path that leads elsewhere is none', () => {
  const piece = { shard: 3, from: 5, to: 9, chain: 'ab'.repeat(16), firstMs: 1, lastMs: 2, sha256: 'cd'.repeat(32) };
  expect(readPieceName(pieceName(piece))).toEqual(piece);
  for (const name of ['', `../${pieceName(piece)}`, `${pieceName(piece)}/..`, copyName(NAME)])
    expect(readPieceName(name)).toBeNull();
  expect(readCopyName(pieceName(piece))).toBeNull();
});

test('a name says what it was made of, and a path that leads elsewhere is none', () => {
  expect(readCopyName(copyName(NAME))).toEqual(NAME);
  for (const name of ['', '../x', `../${copyName(NAME)}`, `${copyName(NAME)}/..`, copyName(NAME).toUpperCase()])
    expect(readCopyName(name), name).toBeNull();
});
