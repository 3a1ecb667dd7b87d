import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endedReading, forgetReading, ReadingMark } from '#runtime/scrub/reading-mark.ts';

function shard(): string {
  const directory = mkdtempSync(join(tmpdir(), 'skep-mark-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, 'data.mdb'), 'pages');
  return directory;
}

test('says reading within a step and at no other moment, whatever the step ends by', () => {
  const directory = shard();
  const mark = new ReadingMark(directory);
  expect(endedReading(directory)).toBe(false);
  expect(mark.during(() => endedReading(directory))).toBe(true);
  expect(endedReading(directory)).toBe(false);
  expect(() =>
    mark.during(() => {
      throw new Error('of the step');
    }),
  ).toThrow('of the step');
  expect(endedReading(directory)).toBe(false);
  mark.end();
  expect(endedReading(directory)).toBe(false);
});

test('what a process left that ended within a step stays until an operator has looked', () => {
  const directory = shard();
  const mark = new ReadingMark(directory);
  mark.during(() => copyFileSync(join(directory, 'scrubbing'), join(directory, 'kept')));
  mark.end();
  renameSync(join(directory, 'kept'), join(directory, 'scrubbing'));
  expect(endedReading(directory)).toBe(true);
  forgetReading(directory);
  expect(endedReading(directory)).toBe(false);
});

test('accuses no other file that lies in the place of the one that was read', () => {
  const directory = shard();
  const mark = new ReadingMark(directory);
  const other = mark.during(() => {
    writeFileSync(join(directory, 'new'), 'other pages');
    renameSync(join(directory, 'new'), join(directory, 'data.mdb'));
    return endedReading(directory);
  });
  expect(other).toBe(false);
});

test('without a place for the mark the step runs all the same', () => {
  const mark = new ReadingMark(join(shard(), 'nowhere'));
  expect(mark.during(() => 7)).toBe(7);
  mark.end();
});
