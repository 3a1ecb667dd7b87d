/** The types of the client: tsc accepts the right lines, and each wrong line is an error of its own. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { strictErrors } from '#test/kit/strict-tsc.ts';

const LINES = readFileSync(`${ROOT}test/client/types/lines.ts`, 'utf8').replace('#client/index.ts', '@skep/client');
const SCHEMA = readFileSync(`${ROOT}test/client/types/schema.ts`, 'utf8');

test('right lines are right, and each wrong one is expected', async () => {
  expect(await strictErrors({ 'lines.ts': LINES, 'schema.ts': SCHEMA })).toEqual([]);
});

test('each wrong line is an error', async () => {
  const expected = LINES.split('\n').flatMap((line, at) => (line.includes('@ts-expect-error') ? [at + 2] : []));
  const found = await strictErrors({ 'lines.ts': LINES.replaceAll('@ts-expect-error', ''), 'schema.ts': SCHEMA });
  const at = found.map((line) => Number(/\((\d+),\d+\)/.exec(line)![1]));
  expect([...new Set(at)]).toEqual(expected);
  expect(expected.length).toBeGreaterThan(20);
});
