import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';

/** The globs of vitest.config.ts. */
const GLOBS = [...readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8').matchAll(/'(test\/[^']*\*\*\/\*\.test\.ts)'/g)];

test('each file of tests is in a project, so that it runs', () => {
  const run = new Set(
    globSync(
      GLOBS.map(([, glob]) => glob!),
      { cwd: ROOT },
    ),
  );
  const all = globSync('**/*.test.ts', { cwd: ROOT, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) });
  expect(all.length).toBeGreaterThan(900);
  expect(all.filter((path) => !run.has(path))).toEqual([]);
});
