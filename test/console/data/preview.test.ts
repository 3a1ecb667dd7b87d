import { expect, test } from 'vitest';
import { formatOf, previewOf } from '#console/data/preview.ts';

test('the format is that of the end of the name, and CSV otherwise', () => {
  expect(['a.json', 'a.JSONL', 'a.ndjson', 'a.csv', 'a.txt', 'json'].map(formatOf)).toEqual([
    'json',
    'jsonl',
    'jsonl',
    'csv',
    'csv',
    'csv',
  ]);
});

test('CSV: quotes hold commas, lines and quotes; a mark of the byte order is none of the text', () => {
  expect(previewOf('\uFEFFname,note\r\n"Eva, the first","she said ""no""\nand went"\r\nAda,\r\n', 'csv')).toEqual({
    columns: ['name', 'note'],
    rows: [
      ['Eva, the first', 'she said "no"\nand went'],
      ['Ada', ''],
    ],
  });
  expect(previewOf('', 'csv')).toBeNull();
  expect(previewOf('name', 'csv')).toEqual({ columns: ['name'], rows: [] });
});

test('five rows are shown, of each format', () => {
  const objects = Array.from({ length: 9 }, (_, at) => ({ at, more: { deep: [at] } }));
  const csv = `at,more\n${objects.map(({ at }) => `${at},x`).join('\n')}`;
  for (const [text, format] of [
    [csv, 'csv'],
    [JSON.stringify(objects), 'json'],
    [JSON.stringify(objects).slice(0, -20), 'json'],
    [objects.map((one) => JSON.stringify(one)).join('\n'), 'jsonl'],
  ] as const) {
    const preview = previewOf(text, format);
    expect([format, preview?.columns, preview?.rows.map(([at]) => at)]).toEqual([
      format,
      ['at', 'more'],
      ['0', '1', '2', '3', '4'],
    ]);
  }
});

test('columns are those of all rows; what has no row shows nothing', () => {
  expect(previewOf('{"a":1}\n{"b":null}\n', 'jsonl')).toEqual({
    columns: ['a', 'b'],
    rows: [
      ['1', ''],
      ['', 'null'],
    ],
  });
  for (const text of ['', 'no json', '[1,2]', '{"a"']) {
    expect([text, previewOf(text, 'json')]).toEqual([text, null]);
    expect([text, previewOf(text, 'jsonl')]).toEqual([text, null]);
  }
});
