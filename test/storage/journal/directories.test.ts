import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  carriedBy,
  findJournals,
  journalPath,
  nextEpoch,
  noteCarried,
  retireJournals,
} from '#storage/journal/directories.ts';
import { endOf, keepJournal, keptPath } from '#storage/journal/kept.ts';
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

it('tells the shards of a journal as they were noted, also by an earlier release, and any where the note is damaged', () => {
  const path = place();
  noteCarried(path, [1, 12]);
  const text = readFileSync(`${path}/shards`, 'utf8');
  expect(carriedBy(path)).toEqual(new Set([1, 12]));
  writeFileSync(`${path}/shards`, '1 12\n');
  expect(carriedBy(path)).toEqual(new Set([1, 12]));
  for (const damaged of [text.replace('12', '13'), text.slice(0, -1), '1 12', '']) {
    writeFileSync(`${path}/shards`, damaged);
    expect(carriedBy(path)).toBe(null);
  }
});

it('tells with which record a journal ended, also of an earlier release, and not where the note is damaged', () => {
  const path = journalPath(place(), 1, 'host-0');
  mkdirSync(path, { recursive: true });
  expect(endOf(keptPath(path))).toBe(null);
  keepJournal(path, 120);
  const closed = `${keptPath(path)}/closed`;
  const text = readFileSync(closed, 'utf8');
  const lastOf = (written: string): number | null => {
    writeFileSync(closed, written);
    return endOf(keptPath(path))!.last;
  };
  expect([text, '120', '', text.replace('120', '128'), '12x'].map(lastOf)).toEqual([120, 120, null, null, null]);
});
