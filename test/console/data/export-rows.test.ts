/** Rows as a file that the browser makes: page by page, to the end, to the bound, or until its reader stops it. */
import { expect, test } from 'vitest';
import { codeOf } from '#console/data/code.ts';
import { takeRows } from '#console/data/export-rows.ts';
import type { EntityDoc, Envelope, Field } from '#console/data/shapes.ts';
import { viewOf } from '#console/data/view.ts';

const field = (name: string, type: string, more: Partial<Field> = {}): Field => ({
  name,
  type,
  required: false,
  nullable: true,
  read_only: false,
  ...more,
});
const FIELDS = [
  field('id', 'integer'),
  field('text', 'string'),
  field('meta', 'json'),
  field('n', 'decimal', { default: 1 }),
];

/** Rows from 0 on, in pages that are as long as they may be. */
const askOf =
  (count: number, asked: number[] = []) =>
  async (after: string, limit: number): Promise<Envelope> => {
    const from = after === '' ? 0 : Number(after);
    const to = Math.min(count, from + limit);
    asked.push(limit);
    const data = Array.from({ length: to - from }, (_, at) => ({ id: from + at, text: null, meta: null, n: null }));
    return { data, count: data.length, page: { has_next_page: to < count, end_cursor: String(to) } };
  };

test('all rows, page by page', async () => {
  const told: number[] = [];
  const taken = await takeRows(FIELDS, 'jsonl', askOf(2500), (rows) => told.push(rows) > 0);
  expect([taken.rows, taken.isCut, told]).toEqual([2500, false, [1000, 2000, 2500]]);
  const lines = taken.parts.join('').trim().split('\n');
  expect(lines).toHaveLength(2500);
  expect(JSON.parse(lines.at(-1)!)).toEqual({ id: 2499, text: null, meta: null, n: null });
});

test('no more than the bound, and that there are more is said', async () => {
  const asked: number[] = [];
  const taken = await takeRows(FIELDS, 'csv', askOf(2500, asked), () => true, 1500);
  expect([taken.rows, taken.isCut, asked]).toEqual([1500, true, [1000, 500]]);
  expect((await takeRows(FIELDS, 'csv', askOf(1500), () => true, 1500)).isCut).toBe(false);
});

test('what was taken until its reader stopped it is the file', async () => {
  const taken = await takeRows(FIELDS, 'jsonl', askOf(2500), () => false);
  expect([taken.rows, taken.isCut]).toEqual([1000, true]);
});

test('values as the node writes them: nulls with a default, quotes, text that a spreadsheet would run', async () => {
  const rows = [
    { id: -1, text: '=1+1', meta: { a: 'b,c' }, n: '-2.50' },
    { id: 2, text: '', meta: null, n: null },
    { id: 3, text: 'a "b"\nc', meta: [], n: '1' },
  ];
  const ask = async (): Promise<Envelope> => ({ data: rows, count: 3 });
  const { parts } = await takeRows(FIELDS, 'csv', ask, () => true);
  expect(parts.join('')).toBe(
    'id,text,meta,n\r\n-1,\'=1+1,"{""a"":""b,c""}",-2.50\r\n2,"",,\\N\r\n3,"a ""b""\nc",[],1\r\n',
  );
});

test('a view as code has its values by their types', () => {
  const entity = { name: 'city', fields: FIELDS } as unknown as EntityDoc;
  const view = viewOf({
    'id[gte]': '5',
    'text[in]': 'a,b',
    '[country.name][ilike]': 'S%',
    'n[null]': 'true',
    orderby: '-id',
  });
  const [, query] = /^const rows = await skep\.from\("city"\)\.list\((.*)\);$/s.exec(codeOf(view, entity))!;
  expect(JSON.parse(query!)).toEqual({
    where: {
      AND: [
        { id: { gte: 5 } },
        { text: { in: ['a', 'b'] } },
        { 'country.name': { ilike: 'S%' } },
        { n: { null: true } },
      ],
    },
    orderBy: ['-id'],
    limit: 100,
  });
});
