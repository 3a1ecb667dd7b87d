import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findJournals, journalPath, nextEpoch, retireJournals } from '#storage/journal/directories.ts';
import { place } from '#test/storage/place.ts';

it('gives epochs that never repeat, though the counter or the journals are gone', () => {
  const dataDir = place();
  expect([nextEpoch(dataDir), nextEpoch(dataDir)]).toEqual([1, 2]);
  mkdirSync(journalPath(dataDir, 9, 'host-0'), { recursive: true });
  expect(nextEpoch(dataDir)).toBe(10);
  retireJournals(findJournals(dataDir));
  expect([findJournals(dataDir), nextEpoch(dataDir)]).toEqual([[], 11]);
  mkdirSync(journalPath(dataDir, 12, 'host-0'), { recursive: true });
  rmSync(`${dataDir}/epoch`);
  expect(nextEpoch(dataDir)).toBe(13);
});

it.each(['', '4r', '-1', ' 7', '1e3', 'NaN'])('refuses %j as the counter: it is damage', (text) => {
  const dataDir = place();
  writeFileSync(`${dataDir}/epoch`, text);
  expect(() => nextEpoch(dataDir)).toThrow('it holds no epoch');
});

it('finds journals oldest first and nothing else', () => {
  const dataDir = place();
  expect(findJournals(dataDir)).toEqual([]);
  const paths = [2, 10, 1].map((epoch) => journalPath(dataDir, epoch, 'a-1'));
  for (const path of [...paths, `${dataDir}/journal/lost+found`]) mkdirSync(path, { recursive: true });
  expect(findJournals(dataDir)).toEqual([paths[2], paths[0], paths[1]]);
});

it('refuses a name that is no single path part', () => {
  expect(() => journalPath('/data', 1, '../x')).toThrow('not a name');
});
