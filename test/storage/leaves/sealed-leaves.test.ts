/** Rows of an audit log on a sealed log: nothing of a record is in them, and what was changed, moved, or is plain behind the mark is told. */
import { hash } from 'node:crypto';
import { expect, it, test } from 'vitest';
import { LeavesLost } from '#storage/leaves/port.ts';
import { joinLeaves } from '#storage/leaves/rows.ts';
import { LeafOpener, LeafSealer } from '#storage/leaves/sealed-leaves.ts';
import { sealOf, vaultOf } from '#test/storage/log-seal/keys.ts';
import { LOG } from './store.cases.ts';

const seal = sealOf(vaultOf(1));
const sealer = (): LeafSealer => new LeafSealer(seal, LOG);
const opener = (): LeafOpener => new LeafOpener(seal, LOG);
const RECORDS = [Buffer.from('{"planted":1}'), Buffer.alloc(600, 'planted')];
const PLAIN = joinLeaves(RECORDS);
const HEAD = { size: 7, root: 'planted root', note: 'planted note' };
const FILE = `blob/${hash('sha256', 'planted text')}`;

it('leaves, a head and a file are had back, and rows say nothing of them', async () => {
  const by = sealer();
  const leaves = by.leaves(5, 2, PLAIN);
  const head = by.head(HEAD);
  const file = by.file([FILE, Buffer.from('planted text')]);
  const rows = [leaves, Buffer.from(JSON.stringify(head)), Buffer.from(file.path), file.name!, file.bytes];
  for (const text of ['planted', FILE.slice(5)]) expect(Buffer.concat(rows).includes(text)).toBe(false);
  const read = opener();
  expect(await read.from(by.mark(5))).toBe(5);
  expect(await read.leaves({ first: 5, count: 2, bytes: leaves }, 5)).toEqual(RECORDS);
  expect(await read.head(head)).toEqual(HEAD);
  expect([await read.path(file), (await read.file(file)).toString()]).toEqual([FILE, 'planted text']);
  expect(read.places(FILE)).toContain(file.path);
  // The same file is kept once.
  expect(sealer().file([FILE, Buffer.from('x')]).path).toBe(file.path);
  expect(new LeafSealer(seal, 'another').file([FILE, Buffer.from('x')]).path).not.toBe(file.path);
});

it('a log that is plain is as before', async () => {
  const by = new LeafSealer(null, LOG);
  expect([by.mark(0), by.leaves(0, 2, PLAIN), by.head(HEAD)]).toEqual([null, PLAIN, HEAD]);
  expect(by.file([FILE, PLAIN])).toEqual({ path: FILE, name: null, bytes: PLAIN });
  const read = new LeafOpener(null, LOG);
  expect(await read.from(null)).toBe(Infinity);
  expect(await read.leaves({ first: 0, count: 2, bytes: PLAIN }, Infinity)).toEqual(RECORDS);
  expect([await read.head(HEAD), read.places(FILE)]).toEqual([HEAD, [FILE]]);
});

test.each<[string, () => Promise<unknown>]>([
  ['leaves in another place', () => opener().leaves({ first: 6, count: 2, bytes: sealer().leaves(5, 2, PLAIN) }, 5)],
  ['another number of leaves', () => opener().leaves({ first: 5, count: 1, bytes: sealer().leaves(5, 2, PLAIN) }, 5)],
  [
    'leaves of another log',
    () => opener().leaves({ first: 5, count: 2, bytes: new LeafSealer(seal, 'x').leaves(5, 2, PLAIN) }, 5),
  ],
  ['plain leaves behind the mark', () => opener().leaves({ first: 5, count: 2, bytes: PLAIN }, 5)],
  ['a head of another size', () => opener().head({ ...sealer().head(HEAD), size: 8 })],
  ['a file under another name', () => opener().file({ ...sealer().file([FILE, PLAIN]), path: FILE })],
  ['a name in the place of another one', () => opener().path({ path: FILE, name: sealer().file([FILE, PLAIN]).name })],
  ['a mark of another log', () => opener().from(new LeafSealer(seal, 'x').mark(1))],
  ['a changed mark', () => opener().from(Buffer.from('1'))],
])('%s is damage', async (_what, read) => {
  await expect(read()).rejects.toThrow(LeavesLost);
});

it('what a later key sealed is read, and nothing without keys', async () => {
  const later = new LeafSealer(sealOf(vaultOf(1, 2)), LOG);
  const read = new LeafOpener(sealOf(vaultOf(1), { vault: vaultOf(1, 2) }), LOG);
  const file = later.file([FILE, PLAIN]);
  expect(await read.path(file)).toBe(FILE);
  expect(read.places(FILE)).toContain(file.path);
  await expect(new LeafOpener(null, LOG).from(later.mark(1))).rejects.toThrow('storage.journal.seal');
  await expect(opener().from(later.mark(1))).rejects.toThrow('no such key');
});
