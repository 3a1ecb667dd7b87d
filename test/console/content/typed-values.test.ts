/** What was typed into the form of a document, as values. */
import { expect, test } from 'vitest';
import { typedValues } from '#console/content/typed-values.ts';
import type { Field } from '#console/data/shapes.ts';

const field = (name: string, type: string): Field => ({
  name,
  type,
  required: false,
  nullable: true,
  read_only: false,
});
const FIELDS = [field('title', 'string'), field('stars', 'integer'), field('more', 'json')];

test('fields that were not typed into are absent, and an emptied one is null', () => {
  expect(typedValues(FIELDS, { title: 'Bees', stars: '' }, 'no JSON:')).toEqual({
    values: { title: 'Bees', stars: null },
    faults: {},
  });
});

test('what is no JSON is told beside its field, and what is no number is the node’s to refuse', () => {
  const { values, faults } = typedValues(FIELDS, { stars: 'many', more: '{' }, 'no JSON:');
  expect(values).toEqual({ stars: 'many' });
  expect(Object.keys(faults)).toEqual(['more']);
  expect(faults['more']![0]).toMatch(/^no JSON: /);
});
