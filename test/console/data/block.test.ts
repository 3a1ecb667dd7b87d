/** Blocks of cells: what is copied comes back as it was, and what a paste would change, with what is wrong with each cell. */
import { expect, test } from 'vitest';
import { blockOf, cellsIn, cellsOf, linesOf } from '#console/data/block.ts';
import { guarded, unguarded } from '#console/data/formula.ts';
import { pasteOf } from '#console/data/paste.ts';
import type { EntityDoc, Field } from '#console/data/shapes.ts';

const field = (name: string, type: string, more: Partial<Field> = {}): Field => ({
  name,
  type,
  required: false,
  nullable: true,
  read_only: false,
  ...more,
});
const FIELDS = [
  field('id', 'string', { required: true }),
  field('name', 'string', { required: true, nullable: false }),
  field('stock', 'integer'),
  field('isKept', 'boolean'),
  field('state', 'enum', { enum: ['kept', 'sold'] }),
  field('meta', 'json'),
  field('version', 'integer', { read_only: true }),
];
const PART: EntityDoc = {
  name: 'part',
  primary_key: 'id',
  traits: [],
  operations: ['update'],
  fields: FIELDS,
  relations: [],
};
const ROWS = [
  { id: 'a', name: 'A', stock: 1, isKept: false, state: 'kept', meta: null, version: 1 },
  { id: 'b', name: 'B', stock: 2, isKept: true, state: null, meta: { x: 1 }, version: 1 },
];
const pasted = (cells: readonly (readonly string[])[], row: number, column: number, to = { row, column }) =>
  pasteOf(cells, { entity: PART, shown: FIELDS, at: blockOf({ row, column }, to), rowAt: (at) => ROWS[at] });
const valuesOf = (paste: ReturnType<typeof pasted>) =>
  paste.rows.map(({ row, cells }) => [
    row['id'],
    ...cells.map((one) => [one.field.name, one.fault ?? one.value] as const),
  ]);

test('a block lies between two cells, whichever comes first', () => {
  const block = blockOf({ row: 3, column: 1 }, { row: 1, column: 2 });
  expect(block).toEqual({ top: 1, bottom: 3, left: 1, right: 2 });
  expect(cellsIn(block)).toBe(6);
});

test.for([
  [
    [
      ['a', 'b'],
      ['c', ''],
    ],
  ],
  [
    [
      ['two\nlines', 'a\ttab'],
      ['"quoted"', 'half "quoted"'],
    ],
  ],
  [[['']]],
  [
    [
      ['', ''],
      ['', ''],
    ],
  ],
])('%j comes back as it was copied', ([cells]) => {
  expect(cellsOf(linesOf(cells!))).toEqual(cells);
});

test('lines of other programs are read: breaks of Windows, one at the end, quotes that are part of a text', () => {
  expect(cellsOf('a\tb\r\nc\td\r\n')).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  expect(cellsOf('"Yes" they said\tb')).toEqual([['"Yes" they said', 'b']]);
  expect(cellsOf('"one ""two"""\t"x\ny"')).toEqual([['one "two"', 'x\ny']]);
});

test('a text that a spreadsheet would run is copied with an apostrophe, and comes back without; a figure is none', () => {
  const [, name, stock] = FIELDS as [Field, Field, Field];
  expect(guarded('=1+1', name)).toBe("'=1+1");
  for (const text of ['=1+1', "'=1", '-x', "it's", "'quoted'"]) expect(unguarded(guarded(text, name), name)).toBe(text);
  expect(guarded('-5', stock)).toBe('-5');
});

test('cells change that differ; what lies outside is counted', () => {
  const paste = pasted(
    [
      ['A', '7'],
      ['Bee', '2'],
      ['C', '3'],
    ],
    0,
    1,
  );
  expect(valuesOf(paste)).toEqual([
    ['a', ['stock', 7]],
    ['b', ['name', 'Bee']],
  ]);
  expect(paste).toMatchObject({ same: 2, outside: 2 });
  expect(pasted([['2', '3']], 0, 6).outside).toBe(1);
});

test('each cell says what is wrong with it', () => {
  const paste = pasted([['z', '', '1.5', 'perhaps', 'lost', '{', '2']], 0, 0);
  expect(valuesOf(paste)).toEqual([
    [
      'a',
      ['id', 'kept'],
      ['name', 'required'],
      ['stock', 'figure'],
      ['isKept', 'choice'],
      ['state', 'choice'],
      ['meta', 'json'],
      ['version', 'kept'],
    ],
  ]);
});

test('what spreadsheets write is taken: TRUE, whole figures with zeros behind them, JSON in another form', () => {
  expect(valuesOf(pasted([['TRUE'], ['TRUE']], 0, 3))).toEqual([['a', ['isKept', true]]]);
  expect(pasted([['1.0']], 0, 2)).toMatchObject({ rows: [], same: 1 });
  expect(pasted([['{ "x": 1 }']], 1, 5)).toMatchObject({ rows: [], same: 1 });
});

test('a single cell fills the block', () => {
  expect(valuesOf(pasted([['9']], 0, 2, { row: 1, column: 2 }))).toEqual([
    ['a', ['stock', 9]],
    ['b', ['stock', 9]],
  ]);
});
