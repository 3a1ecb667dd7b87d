/** The types of the client and of its hooks: tsc accepts the right lines, and each wrong line is an error of its own. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { strictErrors } from '#test/kit/strict-tsc.ts';

const SCHEMA = readFileSync(`${ROOT}test/client/types/schema.ts`, 'utf8');

describe.each(['lines.ts', 'react-lines.ts'])('%s', (name) => {
  const lines = readFileSync(`${ROOT}test/client/types/${name}`, 'utf8').replace('#client/index.ts', '@skep/client');

  test('right lines are right, and each wrong one is expected', async () => {
    expect(await strictErrors({ [name]: lines, 'schema.ts': SCHEMA })).toEqual([]);
  });

  test('each wrong line is an error', async () => {
    const expected = lines.split('\n').flatMap((line, at) => (line.includes('@ts-expect-error') ? [at + 2] : []));
    const found = await strictErrors({ [name]: lines.replaceAll('@ts-expect-error', ''), 'schema.ts': SCHEMA });
    const at = found.map((line) => Number(/\((\d+),\d+\)/.exec(line)![1]));
    expect([...new Set(at)]).toEqual(expected);
    expect(expected.length).toBeGreaterThan(20);
  });
});
