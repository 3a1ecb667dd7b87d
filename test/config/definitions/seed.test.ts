/** Seed definitions: what they say, and what is wrong with file, line and column. Source: docs/contract/data-definitions.md §4. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { SeedDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-seed-'));
  write('product.yaml', 'name: atlas\n');
  write('entities/city.yaml', 'entities:\n  city:\n    fields: { name: { type: string } }\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

function seeds(): readonly SeedDefinition[] {
  const loaded = loadProduct(dir);
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.product.seeds!;
}

function problems(): string[] {
  const loaded = loadProduct(dir);
  if (!('problems' in loaded)) return [];
  return loaded.problems.map(({ file, line, column, message, mend }) => {
    expect([file.startsWith(dir), mend]).toEqual([true, expect.stringMatching(/\S/)]);
    return `${line}:${column} ${message.replaceAll(dir, '')}`;
  });
}

const HEAD = 'name: cities\nentity: city\n';

test('rows in the file, with their lines; a strategy, environments and a checksum of what it writes', () => {
  write('seeds/a.yaml', `${HEAD}rows:\n  - name: Oslo\n  - { name: Bergen }\n`);
  write(
    'seeds/b.yaml',
    'name: more\nentity: city\nstrategy: upsert\nenvironments: [dev]\nrows: [{ id: X, name: Oslo }]\n',
  );
  const [first, second] = seeds();
  expect(first).toMatchObject({
    name: 'cities',
    entity: 'city',
    strategy: 'insert',
    environments: null,
    source: 'seeds/a.yaml',
    rows: [
      { line: 4, input: { name: 'Oslo' } },
      { line: 5, input: { name: 'Bergen' } },
    ],
    file: null,
    checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  });
  expect(second).toMatchObject({ strategy: 'upsert', environments: ['dev'] });
  write('seeds/a.yaml', `# a remark\n${HEAD}environments: [dev]\nrows: [{ name: Oslo }, { name: Bergen }]\n`);
  expect(seeds()[0]!.checksum).toBe(first!.checksum);
  write('seeds/a.yaml', `${HEAD}rows: [{ name: Oslo }]\n`);
  expect(seeds()[0]!.checksum).not.toBe(first!.checksum);
});

test('a file beside it', () => {
  write('seeds/a.yaml', `${HEAD}file: rows/cities.csv\n`);
  write('seeds/rows/cities.csv', 'name\nOslo\n');
  expect(seeds()[0]).toMatchObject({
    rows: null,
    file: { source: 'seeds/rows/cities.csv', format: 'csv', text: 'name\nOslo\n' },
  });
});

test.each([
  ['an unknown entity', 'name: c\nentity: town\nrows: []', '2:9 there is no entity "town"'],
  ['an unknown key', `${HEAD}rowz: []`, '3:1 unknown key "rowz"'],
  [
    'an unknown strategy',
    `${HEAD}strategy: merge\nrows: []`,
    '3:11 strategy must be one of insert, upsert, replace, not "merge"',
  ],
  ['neither rows nor file', HEAD, '1:1 a seed has either rows or a file'],
  ['both', `${HEAD}rows: []\nfile: a.csv`, '4:7 a seed has either rows or a file'],
  ['an unknown field', `${HEAD}rows:\n  - name: a\n  - nam: b`, '5:5 city has no field "nam"'],
  ['a row that is none', `${HEAD}rows: [x]`, '3:8 rows[0] must be a map of fields, not "x"'],
  [
    'upsert without a key',
    `${HEAD}strategy: upsert\nrows:\n  - name: a`,
    '5:5 a row of a seed with the strategy upsert needs its id',
  ],
  ['a file that is not there', `${HEAD}file: a.csv`, '3:7 cannot read /seeds/a.csv'],
  ['a file outside', `${HEAD}file: ../../a.csv`, '3:7 the file lies outside of seeds/'],
  ['a file without a known format', `${HEAD}file: a.xlsx`, '3:7 "a.xlsx" has no format that is known'],
  [
    'too many rows',
    `${HEAD}rows: [${'{},'.repeat(limits.seeds.rowsMax)}{}]`,
    `3:7 a seed has at most ${limits.seeds.rowsMax} rows`,
  ],
])('%s', (_what, text, problem) => {
  write('seeds/a.yaml', text);
  expect(problems()).toEqual([problem]);
});

test('two of one name, a file that is too long, and one that is no text', () => {
  write('seeds/a.yaml', `${HEAD}rows: []`);
  write('seeds/b.yaml', `${HEAD}file: b.csv`);
  write('seeds/b.csv', 'x'.repeat(limits.seeds.fileBytesMax + 1));
  const [twice, long] = problems();
  expect(twice).toBe('1:7 the seed "cities" is declared twice');
  expect(long).toBe(`3:7 /seeds/b.csv is longer than ${limits.seeds.fileBytesMax} bytes`);
  writeFileSync(join(dir, 'seeds/b.csv'), Buffer.from([0xff, 0xfe, 0x00]));
  expect(problems()[1]).toBe('3:7 /seeds/b.csv is not UTF-8');
});
