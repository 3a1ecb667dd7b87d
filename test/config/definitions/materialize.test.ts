/** Materialized fields: what they say, and what is wrong with file, line and column. Source: docs/contract/data-definitions.md §1.7. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-materialize-'));
  mkdirSync(join(dir, 'entities'));
  writeFileSync(join(dir, 'product.yaml'), 'name: atlas\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Loads an order whose lines feed its field x. */
function load(x: string, more = '{ type: string }') {
  const lines = [
    'entities:',
    '  order:',
    '    fields:',
    `      x: ${x}`,
    `      y: ${more}`,
    '      line_id: { type: ref, nullable: true, ref: { entity: line } }',
    '  line:',
    '    fields:',
    '      order_id: { type: ref, ref: { entity: order } }',
    '      count: { type: integer }',
    '      price: { type: decimal }',
    '      name: { type: string }',
    '      made: { type: integer, materialize: { from: order.line_id, value: sum, of: x } }',
    '',
  ];
  writeFileSync(join(dir, 'entities/order.yaml'), lines.join('\n'));
  return loadProduct(dir);
}

function fieldOf(x: string) {
  const loaded = load(x);
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.product.entities.order!.fields['x'];
}

test('a count, a sum and an expression begin at 0, a least and a greatest at null', () => {
  expect(fieldOf('{ type: integer, materialize: { from: line.order_id, value: count } }')).toEqual({
    type: 'integer',
    default: 0,
    materialize: { entity: 'line', ref: 'order_id', value: 'count', of: null },
  });
  const made = '{ type: integer, materialize: { from: line.order_id, value: cel, of: "1" } }';
  expect(load(made)).toHaveProperty('problems'); // line.made reads x, which an expression over line might read
});

test.each<[string, string, string]>([
  ['no from', '{ type: integer, materialize: { value: count } }', '4:27 the key "from" is missing'],
  [
    'a bad from',
    '{ type: integer, materialize: { from: line, value: count } }',
    '4:48 from must be an entity and its field that refers here, as <entity>.<field>, not "line"',
  ],
  [
    'an unknown entity',
    '{ type: integer, materialize: { from: lime.order_id, value: count } }',
    '4:48 there is no entity "lime"',
  ],
  [
    'a field that does not refer here',
    '{ type: integer, materialize: { from: line.name, value: count } }',
    '4:48 line has no field "name" that refers to order',
  ],
  [
    'a count of something',
    '{ type: integer, materialize: { from: line.order_id, value: count, of: name } }',
    '4:81 a count is of rows, not of a field',
  ],
  [
    'a count in a text',
    '{ type: string, materialize: { from: line.order_id, value: count } }',
    '4:18 a field of type string cannot hold a count',
  ],
  [
    'a sum of nothing',
    '{ type: integer, materialize: { from: line.order_id, value: sum } }',
    '4:27 sum needs to know of what',
  ],
  [
    'a sum of what is not there',
    '{ type: integer, materialize: { from: line.order_id, value: sum, of: cont } }',
    '4:79 line has no field "cont"',
  ],
  [
    'a sum of texts',
    '{ type: integer, materialize: { from: line.order_id, value: sum, of: name } }',
    '4:79 name is no number',
  ],
  [
    'a sum that loses digits',
    '{ type: integer, materialize: { from: line.order_id, value: sum, of: price } }',
    '4:18 the sum of price is a decimal',
  ],
  [
    'a least of another type',
    '{ type: integer, materialize: { from: line.order_id, value: min, of: price } }',
    '4:18 the min of price is a decimal',
  ],
  [
    'a least that may not be null',
    '{ type: integer, nullable: false, materialize: { from: line.order_id, value: min, of: count } }',
    '4:37 the min of no rows is null',
  ],
  [
    'a constraint',
    '{ type: integer, max: 4, materialize: { from: line.order_id, value: count } }',
    '4:32 a materialized field takes no max: the service computes it',
  ],
  [
    'a circle',
    '{ type: integer, materialize: { from: line.order_id, value: sum, of: made } }',
    '4:40 x would depend on itself',
  ],
])('%s', (_what, x, told) => {
  const loaded = load(x);
  const problems = 'problems' in loaded ? loaded.problems : [];
  const texts = problems.map(({ line, column, message, mend }) => {
    expect(mend).toMatch(/\S/);
    return `${line}:${column} ${message}`;
  });
  expect(texts).toContain(told);
});
