import { expect, test } from 'vitest';
import { differenceOfSchema } from '#actors/engine/schema/difference.ts';
import type { SchemaConflict, SchemaStep } from '#actors/engine/schema/diff.ts';

test('what differs is named: entities, fields, indexes, and what needs a plan', () => {
  const steps: SchemaStep[] = [
    { kind: 'add_entity', entity: 'author' },
    { kind: 'add_field', entity: 'book', field: 'isbn', type: 'string' },
    { kind: 'add_index', entity: 'book', index: { fields: ['isbn', 'year'], unique: true } },
    { kind: 'add_index', entity: 'book', index: { fields: ['year'], unique: false } },
  ];
  const conflict: SchemaConflict = { kind: 'remove_field', entity: 'shelf', name: 'room', message: 'shelf: room is gone' }; // prettier-ignore
  expect(differenceOfSchema({ steps, conflicts: [conflict] })).toEqual({
    entities: 'author, book, shelf',
    missing: ['author', 'book.isbn', 'unique book(isbn, year)', 'index book(year)'],
    conflicts: ['shelf: room is gone'],
    differences: 5,
  });
});

test('a line names some of many, and says how many there are', () => {
  const steps = Array.from({ length: 500 }, (_, i) => ({ kind: 'add_entity', entity: `e${i}` }) as const);
  const { entities, missing, differences } = differenceOfSchema({ steps, conflicts: [] });
  expect([entities.endsWith('e19 and 480 others'), missing.length, differences]).toEqual([true, 20, 500]);
});
