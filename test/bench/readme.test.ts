/** The table of hot paths in bench/README.md: what it names is there, and every case has its place. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cases } from '#bench/cases.ts';
import { ROOT } from '#bench/kit/machine.ts';

/** The machine's own, which is no path of the product. */
const OF_THE_MACHINE = ['ceiling'];

test('every case stands in the table, and nothing else does', () => {
  const readme = readFileSync(join(ROOT, 'bench/README.md'), 'utf8');
  const [, table = ''] = /^## What there is of each hot path$(.*?)^## /ms.exec(readme) ?? [];
  const named = new Set([...table.matchAll(/`([a-z0-9-]+)`/g)].map(([, name]) => name));
  const there = cases.map(({ name }) => name).filter((name) => !OF_THE_MACHINE.includes(name));
  expect(named).toEqual(new Set(there));
});
