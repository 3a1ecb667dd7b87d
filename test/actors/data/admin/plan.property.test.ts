/** Random pairs of schemas: plan, apply, and the stored schema is what was declared; rows that fit are read as they were. */
import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { changesOf } from '#actors/engine/schema/changes.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import type { FieldDefinition, ProductDefinition } from '#config/definitions/product.ts';
import { rounds } from '#test/kit/rounds.ts';
import { expectConsistent, World } from './kit.ts';

const TYPES = ['string', 'text', 'integer', 'number', 'decimal', 'boolean', 'date', 'datetime', 'json'] as const;
const field: fc.Arbitrary<FieldDefinition> = fc
  .record(
    {
      type: fc.constantFrom(...TYPES),
      index: fc.boolean(),
      unique: fc.boolean(),
      nullable: fc.constantFrom(true, false),
      min: fc.integer({ min: 0, max: 3 }),
      max_length: fc.integer({ min: 1, max: 12 }),
    },
    { requiredKeys: ['type'] },
  )
  .map(({ index, unique, min, max_length, ...rest }) => {
    const ordered = rest.type !== 'json';
    const texts = rest.type === 'string' || rest.type === 'text';
    const numbers = rest.type === 'integer' || rest.type === 'number';
    return {
      ...rest,
      ...(ordered && index === true && { index }),
      ...(ordered && unique === true && { unique }),
      ...(numbers && min !== undefined && { min }),
      ...(texts && max_length !== undefined && { max_length }),
    };
  });
const entity = (name: string) =>
  fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), field, { minKeys: 1, noNullPrototype: true })
    .map((fields) => entityOf(name, fields));
const product: fc.Arbitrary<ProductDefinition> = fc
  .tuple(entity('thing'), fc.option(entity('other')), fc.option(entity('third')))
  .map(([thing, ...others]) => productOf([thing, ...others.filter((one) => one !== null)]));
/** Texts that are numbers, days or nothing of the kind. */
const value = fc.constantFrom('1', '2.5', 'x', '2026-01-31', '2026-01-31T00:00:00.000Z', 'true', 3, 1.5, true, null);
const row = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value, { noNullPrototype: true });

test(
  'stored equals declared but for what was refused; rows stay, indexes are whole',
  { timeout: 120_000 },
  async () => {
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(product, product, fc.array(row, { maxLength: 12 }), async (from, to, rows) => {
        const world = await World.open(from);
        const ids: unknown[] = [];
        for (const given of rows) {
          const answer = await world.send('POST', 'rest/thing', given);
          if (answer.status === 201) ids.push(answer.body.data[0].id);
        }
        const before = await world.rows('orderby=id');
        world.product = to;
        const { plan_id, refusals = [], steps } = await world.plan({ allow_drops: true });
        const { status, body } = await world.apply(plan_id);
        if (body.status !== 'applied') {
          // Rows that share a value of a field that is to be unique are found by the build alone.
          expect([status, body.error]).toEqual([207, expect.stringContaining('which is to be unique')]);
          expectConsistent(world);
          return;
        }
        expect([status, body.steps_applied]).toEqual([200, steps.length]);
        applied++;
        const left = changesOf(world.stored, to);
        if (refusals.length === 0) expect(left).toMatchObject({ changes: [], impossible: [] });
        else expect((await world.plan({ allow_drops: true })).steps).toEqual([]);
        expectConsistent(world);
        const after = await world.rows('orderby=id');
        expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
        expectKept(before, after, from, to);
      }),
      { numRuns: rounds({ suite: 120, ci: 250 }) },
    );
    expect(applied).toBeGreaterThan(100);
  },
);

/** Fields that are declared alike before and after show what they showed. */
function expectKept(
  before: readonly Record<string, unknown>[],
  after: readonly Record<string, unknown>[],
  from: ProductDefinition,
  to: ProductDefinition,
): void {
  const [old, now] = [from.entities['thing']!.fields, to.entities['thing']!.fields];
  const alike = Object.keys(now).filter((name) => old[name]?.type === now[name]!.type);
  const show = (rows: readonly Record<string, unknown>[]): unknown[] =>
    rows.map((one) => alike.map((name) => one[name]));
  expect(show(after)).toEqual(show(before));
}
