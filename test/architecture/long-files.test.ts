/** What `npm test` leaves to `npm run test:ci`: no file is left by both, and one that is asked for by name runs at once. */
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isLongFile, leftOut, LONG } from '#test/kit/long-files.ts';
import { ROOT } from '#runtime/place.ts';

const KILL = 'test/crash/kill.test.ts';
const SHORT = 'test/storage/table.test.ts';

test('a run that names none leaves out every long file, and no other', () => {
  const all = globSync('test/**/*.test.ts', { cwd: ROOT });
  expect(leftOut(['run']).sort()).toEqual(all.filter(isLongFile).sort());
  expect([KILL, SHORT].map(isLongFile)).toEqual([true, false]);
  expect(leftOut(['run', '--reporter=dot'])).toContain(KILL);
  expect(leftOut(['run', SHORT])).toContain(KILL);
});

test.each([KILL, `./${KILL}`, 'crash/kill', 'test/crash'])('a run that names %s runs it', (name) => {
  expect(leftOut(['run', name])).not.toContain(KILL);
});

test.each(LONG)('%s names files that exist', (pattern) => {
  expect(globSync(pattern, { cwd: ROOT })).not.toEqual([]);
});
