/** Rules split into what an index can answer and the rest: the same rows, found by another way. */
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { describePlan } from '#actors/engine/rows/access-path.ts';
import { equals, query, type Predicate, type Query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { compileRule } from '#actors/kit/rule.ts';
import type { Narrowing } from '#actors/kit/rule-narrowing.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { testSeed } from '#test/kit/seed.ts';

const seed = testSeed();
const scope = (roles: readonly string[]) => ({
  principal: { subject: 'u1', roles, scope: ['a', 'b'] },
  row: null,
  request: { id: 7 },
  now: new Date(0),
});
const narrowed = (rule: string, roles: readonly string[] = []): readonly Narrowing[] | null =>
  compileRule(rule, 'w').narrow?.(scope(roles)) ?? null;

describe('what is known of the rows that a rule admits', () => {
  test.each<[string, readonly Narrowing[] | null]>([
    ['row.owner == principal.subject', [{ field: 'owner', op: 'eq', value: 'u1' }]],
    ['principal.subject == row["owner"]', [{ field: 'owner', op: 'eq', value: 'u1' }]],
    [
      '3 > row.age && row.open',
      [
        { field: 'age', op: 'lt', value: 3n },
        { field: 'open', op: 'eq', value: true },
      ],
    ],
    ['row.kind in ["a", "b"]', [{ field: 'kind', op: 'in', value: ['a', 'b'] }]],
    ['row.kind in principal.scope', [{ field: 'kind', op: 'in', value: ['a', 'b'] }]],
    ['row.kind in {"a": 1}', []],
    ['row.owner == principal.unknown', []],
    ['row.a == row.b', null],
    ['row.a != 1', null],
    ['row.a == 1 || row.b == 2', null],
    ['!(row.a == 1)', null],
    ['row.a.b == 1', null],
    ['row.a == 1 ? true : false', null],
    ['principal.subject == "u1"', null],
    ['[1].exists(row, row == 1)', null],
    ['row.a == 1 && size(row.b) > 2', [{ field: 'a', op: 'eq', value: 1n }]],
  ])('%s', (rule, expected) => expect(narrowed(rule)).toEqual(expected));

  test('a side that does not read the row is decided first', () => {
    const rule = '"admin" in principal.roles || row.owner == principal.subject';
    expect(narrowed(rule)).toEqual([{ field: 'owner', op: 'eq', value: 'u1' }]);
    expect(narrowed(rule, ['admin'])).toEqual([]);
    expect(narrowed('row.owner == principal.subject || principal.unknown == 1')).toEqual([
      { field: 'owner', op: 'eq', value: 'u1' },
    ]);
  });
});

const FIELDS = {
  owner: { type: 'string' },
  n: { type: 'number' },
  i: { type: 'integer' },
  at: { type: 'datetime' },
  open: { type: 'boolean' },
  d: { type: 'decimal' },
} as const;
const ROWS = {
  owner: ['u1', 'u2', 'U1', '😀', '\ue000', null],
  n: [2 ** 53, 2 ** 53 + 2, 1.5, 0, null],
  i: [1, 5, '9007199254740993', null],
  at: ['2020-01-01T00:00:00Z', '2020-01-01T02:00:00+02:00', '2021-01-01T00:00:00Z', null],
  open: [true, false, null],
  d: ['1.5', '1.50', '2', null],
};
const RULES = [
  'row.owner == principal.subject',
  'row.owner < "\ue000"',
  'row.n < 9007199254740993',
  'row.n >= 1.5',
  'row.i > 1 && row.i <= 5',
  'row.i == 5.0',
  'row.at < "2020-01-01T00:00:00+02:00"',
  'row.at >= "2020-01-01T00:00:00.000Z"',
  'row.open',
  'row.d == "1.50"',
  'row.owner in ["u2", "U1"]',
  'row.owner == null',
  '"librarian" in principal.roles || row.owner == principal.subject',
  'row.i in [1, 5] && row.open == false',
];

const INDEXES = [...Object.keys(FIELDS).map((name) => [name]), ['owner', 'n'], ['open', 'i'], ['at', 'd', 'n']];
const row = fc.record(Object.fromEntries(Object.entries(ROWS).map(([name, all]) => [name, fc.constantFrom(...all)])));

/** Lists that an index may answer together with a rule. */
const wanted = fc
  .constantFrom(...Object.keys(FIELDS))
  .chain((field) => {
    const value = fc.constantFrom(...ROWS[field as keyof typeof ROWS].filter((one) => one !== null));
    return fc.oneof(
      fc.constant([]),
      value.map((one) => [equals(field, one)]),
      fc
        .array(value, { minLength: 1, maxLength: 3 })
        .map((list): Predicate[] => [{ kind: 'predicate', field, op: 'in', value: list }]),
    );
  })
  .chain((where) =>
    fc.record({
      where: fc.constant(where),
      order: fc.uniqueArray(
        fc.record({
          kind: fc.constant('order' as const),
          field: fc.constantFrom(...Object.keys(FIELDS)),
          descending: fc.boolean(),
        }),
        { maxLength: 2, selector: ({ field }) => field },
      ),
      limit: fc.integer({ min: 1, max: 12 }),
      offset: fc.nat(3),
    }),
  );

/** The rows of a list, without their ids, which are random in part. */
function shown(engine: Engine, asked: Partial<Query>): string[] {
  const model = engine.models.get('thing')!;
  const found = findRows(engine.session(), model, asRequest('thing'), () => query('thing', asked)) as Found;
  return found.rows.map(({ slots }) => JSON.stringify({ ...model.shape(slots), id: null }));
}

describe(`rows under a row rule (seed ${seed})`, () => {
  test.each(RULES)('%s admits the same rows with and without an index', (rule) => {
    const engines = [INDEXES, []].map(
      (list) => new Engine(productOf([entityOf('thing', FIELDS, { index: list, rowRule: rule })])),
    );
    for (const values of fc.sample(row, { numRuns: 60, seed: 7 })) {
      for (const engine of engines) {
        // Rows that the rule would not let in are written by the node itself.
        const internal: Principal = { ...USER, type: 'internal' };
        const written = createRow(engine.session(internal), engine.models.get('thing')!, values, asRequest('thing'));
        if (isFailure(written)) throw new Error(written.message);
        engine.clock.advance(1);
      }
    }
    for (const engine of engines) engine.end(true);
    const all = engines.map((engine) => shown(engine, { limit: 1000 }).toSorted());
    expect(all[0]).toEqual(all[1]);
    for (const asked of fc.sample(wanted, { numRuns: 100, seed }))
      expect([asked, shown(engines[0]!, asked)]).toEqual([asked, shown(engines[1]!, asked)]);
  });

  test('the plan uses the index that the rule speaks of', () => {
    const rowRule = '"librarian" in principal.roles || row.owner == principal.subject';
    const engine = new Engine(productOf([entityOf('thing', FIELDS, { index: [['owner']], rowRule })]));
    const model = engine.models.get('thing')!;
    const planFor = (principal: Principal) =>
      describePlan(
        (findRows(engine.session(principal), model, asRequest('thing'), () => query('thing', {})) as Found).plan,
      );
    expect(planFor(USER)).toEqual({ access: 'index', index: ['owner'], bound: 1, sorted: false });
    expect(planFor({ ...USER, roles: ['librarian'] })).toEqual({ access: 'table', sorted: false });
  });
});
