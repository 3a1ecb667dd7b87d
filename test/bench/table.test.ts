import { expect, test } from 'vitest';
import { table } from '#bench/kit/table.ts';

test('columns are as wide as their widest cell, numbers stand to the right', () => {
  const text = table(
    [{ title: 'case' }, { title: 'rate', align: 'right' }, { title: 'note' }],
    [
      ['read', '67,000', 'warm'],
      ['a longer name', '5'],
    ],
  );
  expect(text).toBe(
    [
      'case             rate  note',
      '─────────────  ──────  ────',
      'read           67,000  warm',
      'a longer name       5',
      '',
    ].join('\n'),
  );
});

test('an empty table is its head', () => {
  expect(table([{ title: 'name' }], [])).toBe('name\n────\n');
});
