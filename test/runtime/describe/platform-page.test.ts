import { expect, test } from 'vitest';
import { platformPage } from '#runtime/describe/platform-page.ts';

const page = platformPage();
const row = (key: string) => page.split('\n').find((line) => line.startsWith(`| \`${key}\` |`));

test('a key says what it is for, what it takes, its default, and an example', () => {
  expect(row('gateway.drain_notice')).toBe(
    '| `gateway.drain_notice` | how long a node that stops says 503 to probes, before it closes | a duration from 0s to 5m0s in Go notation, with its unit | `1s` | `0s` |',
  );
});

test('keys of items and of named entries are there', () => {
  expect(row('hives.tenant[].key')).toContain('customer:product:env:tenant');
  expect(row('hives.tenant[].datastores.<name>.driver')).toContain('lmdb');
  expect(row('gateway.cors.<name>.origins')).toBeDefined();
  expect(row('rates.<name>')).toContain('off');
});

test('no default of a secret is shown, and no row is there twice', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  expect(new Set(rows).size).toBe(rows.length);
  expect(row('bootstrap.token')).toMatch(/\| {2}\| `\$\{NAME\}` \|$/);
});
