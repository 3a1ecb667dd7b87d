/** Planner and executor against a naive evaluator, and indexes against rows, over generated schemas, rows and queries. */
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { createRow } from '#actors/data/entity/create.ts';
import { deleteRow } from '#actors/data/entity/delete.ts';
import { isFailure } from '#actors/data/entity/failure.ts';
import type { Failure } from '#actors/data/entity/failure.ts';
import { indexKey, tableRange } from '#actors/data/entity/keys/store.ts';
import type { StoredRow } from '#actors/data/entity/codec.ts';
import type { EntityModel } from '#actors/data/entity/model.ts';
import { Scan } from '#actors/data/entity/execute.ts';
import { Pace } from '#actors/data/entity/pace.ts';
import type { Plan } from '#actors/data/entity/access-path.ts';
import { refinePlan } from '#actors/data/entity/intersect.ts';
import { planQuery } from '#actors/data/entity/plan.ts';
import { equals, isBackward, query, reversed } from '#actors/data/entity/query.ts';
import type { Operator, Predicate, Query } from '#actors/data/entity/query.ts';
import { findRows } from '#actors/data/entity/read.ts';
import type { Found } from '#actors/data/entity/read.ts';
import { decodeSlots, entryId, rowCount } from '#actors/data/entity/store.ts';
import { updateRow } from '#actors/data/entity/update.ts';
import type { Written } from '#actors/data/entity/write.ts';
import type { FieldDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

type Row = Record<string, unknown>;

const seed = Number(process.env['SKEP_TEST_SEED'] ?? Date.now() % 2 ** 31);
const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  s: { type: 'string' },
  t: { type: 'string' },
  i: { type: 'integer' },
  n: { type: 'number' },
  d: { type: 'decimal' },
  b: { type: 'boolean' },
  day: { type: 'date' },
};

/** Few values of each type, so that they meet: empty, NUL, prefixes, beyond the BMP, long, negative, beyond 2^53. */
const long = 'x'.repeat(1900);
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  s: ['', 'a', 'a\u0000', 'a\u0000b', 'ab', 'b', '\ue000', '😀', 'ü', ...['a', 'b', 'c', 'd'].map((end) => long + end)],
  t: ['p', 'q', 'r'],
  i: [-5, 0, 3, 12, '9007199254740993', '-9007199254740994', '9007199254740992'],
  n: [-1.5, 0, 0.25, 1e300, -1e-300],
  d: ['0', '-1.50', '-1.5', '2', '10', '0.003', '12345678901234567890.5'],
  b: [true, false],
  day: ['1999-12-31', '2026-01-01'],
};
const NO_ID = '01J0000000000000000000000A';
const NAMES = Object.keys(FIELDS);

const value = (name: string) => fc.option(fc.constantFrom(...VALUES[name]!), { freq: 6 });
const rowArbitrary = fc.record(Object.fromEntries(NAMES.map((name) => [name, value(name)])));
const fieldList = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 });
const operation = fc.record({
  kind: fc.constantFrom('create', 'create', 'create', 'update', 'delete', 'purge'),
  at: fc.nat(),
  row: rowArbitrary,
  commit: fc.boolean(),
});
const PATTERNS = ['a%', '%b', 'a_%', '%', '', 'A%', `${long}%`, 'p', '_', '%d', 'a\\%', '%\u0000b'];
const predicate: fc.Arbitrary<Predicate> = fc.constantFrom(...NAMES).chain((field) => {
  const one = fc.constantFrom(...VALUES[field]!);
  const compared = ['eq', 'eq', 'eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const;
  const make = (op: Operator) => (operand: unknown) => ({ kind: 'predicate' as const, field, op, value: operand });
  const kinds: fc.Arbitrary<Predicate>[] = [
    fc.constantFrom(...compared).chain((op) => one.map(make(op))),
    fc.array(one, { maxLength: 3 }).map(make('in')),
    fc.array(one, { maxLength: 2 }).map(make('nin')),
    fc.tuple(one, one).map(make('between')),
    fc.boolean().map(make('null')),
  ];
  if (field === 's' || field === 't')
    for (const op of ['like', 'ilike'] as const) kinds.push(fc.constantFrom(...PATTERNS).map(make(op)));
  return fc.oneof(...kinds);
});
/** Equalities of several fields, which several indexes can answer together. */
const several: fc.Arbitrary<Predicate[]> = fc
  .tuple(...['t', 'b', 'day', 's'].map((name) => fc.constantFrom(...VALUES[name]!).map((one) => equals(name, one))))
  .chain((all) => fc.subarray(all, { minLength: 2 }));
/** A list of values of the field that an index begins with: its ranges come in the order of the next field only when merged. */
const listed: fc.Arbitrary<Predicate[]> = fc
  .constantFrom('t', 's')
  .chain((field) =>
    fc
      .uniqueArray(fc.constantFrom(...VALUES[field]!), { minLength: 2, maxLength: 3 })
      .map((all) => [field, all] as const),
  )
  .map(([field, all]) => [{ kind: 'predicate', field, op: 'in', value: all }]);
const keyed = fc.tuple(
  fc.constantFrom<Operator[]>('in', 'gt', 'lte'),
  fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
);
const cursor = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat() });
const wanted = fc.record({
  where: fc.oneof(
    { weight: 3, arbitrary: fc.array(predicate, { maxLength: 1 }) },
    { weight: 3, arbitrary: fc.array(predicate, { minLength: 2, maxLength: 3 }) },
    { weight: 1, arbitrary: several },
    { weight: 1, arbitrary: listed },
  ),
  ids: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: keyed }),
  cursors: fc.tuple(cursor, cursor),
  // Descending texts meet first those that an index key has to cut.
  order: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES, 'id'), fc.boolean()), {
        maxLength: 3,
        selector: ([name]) => name,
      }),
    },
    { weight: 1, arbitrary: fc.constant<[string, boolean][]>([['s', true]]) },
    { weight: 1, arbitrary: fc.boolean().map((down): [string, boolean][] => [['i', down]]) },
  ),
  limit: fc.nat(8),
  offset: fc.nat(5),
  deleted: fc.boolean(),
  counted: fc.boolean(),
  step: fc.integer({ min: 1, max: 7 }),
});
const scenario = fc.record({
  index: fc.oneof(
    { weight: 4, arbitrary: fc.array(fieldList, { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant([['t'], ['b'], ['day'], ['s'], ['i', 's']]) },
    { weight: 1, arbitrary: fc.constant([['s'], ['b', 's']]) },
    { weight: 1, arbitrary: fc.constant([['t', 'i'], ['s', 'i'], ['n']]) },
  ),
  unique: fc.array(fieldList, { maxLength: 2 }),
  operations: fc.array(operation, { minLength: 1, maxLength: 30 }),
  queries: fc.array(wanted, { minLength: 12, maxLength: 12 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** Order by meaning: bytes of text, exact numbers. Independent of the room's own comparators. */
function compare(name: string, a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (name === 'i')
    return Number(BigInt(a as number) > BigInt(b as number)) - Number(BigInt(a as number) < BigInt(b as number));
  if (name === 'd')
    return Number(scaled(a as string) > scaled(b as string)) - Number(scaled(a as string) < scaled(b as string));
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  return Number(a) - Number(b);
}

function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(30, '0'));
}

/** SQL's LIKE as a regular expression of JavaScript. */
function likeness(pattern: string, fold: boolean): RegExp {
  const body = pattern.replace(/\\(.)|([%_])|([^%_\\])/gsu, (_, escaped?: string, wild?: string, plain?: string) =>
    wild === undefined ? (escaped ?? plain)!.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&') : wild === '%' ? '.*' : '.',
  );
  return new RegExp(`^${body}$`, fold ? 'isu' : 'su');
}

function holds({ field, op, value: wantedValue }: Predicate, row: Row): boolean {
  const given = row[field];
  if (op === 'null') return (given === null) === wantedValue;
  if (given === null) return false;
  const against = (other: unknown) => compare(field, given, other);
  const list = wantedValue as unknown[];
  switch (op) {
    case 'eq':
      return against(wantedValue) === 0;
    case 'ne':
      return against(wantedValue) !== 0;
    case 'gt':
      return against(wantedValue) > 0;
    case 'gte':
      return against(wantedValue) >= 0;
    case 'lt':
      return against(wantedValue) < 0;
    case 'lte':
      return against(wantedValue) <= 0;
    case 'in':
      return list.some((other) => against(other) === 0);
    case 'nin':
      return list.every((other) => against(other) !== 0);
    case 'between':
      return against(list[0]) >= 0 && against(list[1]) <= 0;
    default:
      return likeness(wantedValue as string, op === 'ilike').test(given as string);
  }
}

function naive(
  rows: readonly Row[],
  { where, order, limit, offset, deleted, after, before }: Query,
  model?: EntityModel,
): { rows: Row[]; total: number } {
  const last = order.at(-1)?.descending ?? false;
  const terms = [...order, { field: 'id', descending: last }];
  const byOrder = (a: Row, b: Row): number => {
    for (const { field, descending } of terms) {
      const difference = compare(field, a[field], b[field]);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  };
  const matches = rows
    .filter((row) => deleted || row['deleted_at'] === null)
    .filter((row) => where.every((one) => holds(one, row)))
    .toSorted(byOrder);
  const low = after === null ? null : model!.shape(after);
  const high = before === null ? null : model!.shape(before);
  const between = matches.filter(
    (row) => (low === null || byOrder(row, low) > 0) && (high === null || byOrder(row, high) < 0),
  );
  const page =
    high !== null && low === null ? between.slice(-limit || between.length) : between.slice(offset, offset + limit);
  return { rows: page, total: matches.length };
}

function run(engine: Engine, model: EntityModel, { operations }: Scenario): number {
  const session = engine.session();
  const ids: string[] = [];
  let refused = 0;
  for (const { kind, at, row, commit } of operations) {
    const id = ids[at % Math.max(1, ids.length)] ?? 'none';
    const request = asRequest('thing');
    const written =
      kind === 'create'
        ? createRow(session, model, row, request)
        : kind === 'update'
          ? updateRow(session, model, id, row, request)
          : (deleteRow(session, model, id, kind === 'purge', request) as Written | Failure);
    if (isFailure(written)) refused++;
    else if (kind === 'create') ids.push(model.shape(written.after!)['id'] as string);
    engine.clock.advance(1);
    if (commit) engine.end(true);
  }
  engine.end(true);
  return refused;
}

function allRows(engine: Engine, model: EntityModel): Row[] {
  const { from, to } = tableRange(model.table);
  return [...engine.turn.range(from, to)].map(({ value }) => model.shape(model.pad(decodeSlots(value))));
}

/** Every index holds exactly the entries that its rows imply, and the counters count them. */
function checkIndexes(engine: Engine, model: EntityModel): void {
  const { from, to } = tableRange(model.table);
  const slots = [...engine.turn.range(from, to)].map(({ value }) => model.pad(decodeSlots(value)));
  for (const index of model.indexes) {
    const range = tableRange(index.no);
    const found = [...engine.turn.range(range.from, range.to)].map((entry) => [entry.key, entryId(entry)]);
    const implied = slots.map((row) => [indexKey(index, row, model.idIn(row)), model.idIn(row)]);
    expect(found).toEqual(implied.toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1)));
    expect(new Set(implied.map(([key]) => key)).size).toBe(slots.length);
  }
  const deleted = slots.filter((row) => row[3] !== null).length;
  expect(rowCount(engine.turn, model.table)).toEqual({ live: slots.length - deleted, deleted });
}

type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

function queryOf(
  engine: Engine,
  model: EntityModel,
  { where, order, cursors, ids, limit, counted, deleted, ...given }: Wanted,
): Query {
  const range = tableRange(model.table);
  const all = [...engine.turn.range(range.from, range.to)].map(({ value: bytes }) => model.pad(decodeSlots(bytes)));
  const place = (at: number | null) => (at === null || all.length === 0 ? null : all[at % all.length]!);
  const keys = (ids?.[1] ?? []).map((at) => place(at)?.[model.key.at] ?? NO_ID);
  const keyed: Predicate[] =
    ids === null ? [] : [{ kind: 'predicate', field: 'id', op: ids[0], value: ids[0] === 'in' ? keys : keys[0] }];
  const [after, before] = cursors.map(place);
  const offset = after === null && before === null ? given.offset : 0;
  return query('thing', {
    limit,
    counted,
    deleted,
    offset,
    where: [...where, ...keyed],
    order: order.map(([field, descending]) => ({ kind: 'order', field, descending })),
    after: after!,
    before: before!,
  });
}

/** The plan as chosen, and what a probe that finds every range long makes of it. */
function plansOf(model: EntityModel, asked: Query): Plan[] {
  const turned = isBackward(asked) ? reversed(asked, 'id') : asked;
  const plan = planQuery(model, turned, []);
  const plans = [plan];
  if (plan.kind === 'index' && plan.rivals.length > 0)
    plans.push(
      refinePlan(plan, () => 1e6),
      refinePlan(plan, ({ from }) => from.length),
    );
  return plans;
}

function step(engine: Engine, model: EntityModel, asked: Query, plan: Plan, by: number): readonly StoredRow[] | null {
  const turned = isBackward(asked) ? reversed(asked, 'id') : asked;
  const scan = new Scan(engine.turn, model, turned, plan, null);
  while (!scan.advance(by));
  scan.close();
  if (scan.inexact) return null;
  const steps = scan.page(new Pace(engine.session(), 1));
  let done = steps.next();
  while (done.done !== true) done = steps.next();
  return isBackward(asked) ? done.value.rows.toReversed() : done.value.rows;
}

describe(`engine (seed ${seed})`, () => {
  test('a query answers what a naive evaluator answers, whatever plan it gets', () => {
    const seen = {
      key: 0,
      index: 0,
      table: 0,
      intersection: 0,
      sorted: 0,
      merged: 0,
      ranges: 0,
      cursors: 0,
      rows: 0,
      inexact: 0,
    };
    const property = fc.property(scenario, (given) => {
      const traits = ['soft_delete', 'versioned', 'timestamps'] as const;
      const definition = entityOf('thing', FIELDS, { traits, index: given.index, unique: given.unique });
      const engine = new Engine(productOf([definition]));
      const model = engine.models.get('thing')!;
      run(engine, model, given);
      checkIndexes(engine, model);
      const rows = allRows(engine, model);
      for (const one of given.queries) {
        const asked = queryOf(engine, model, one);
        const expected = naive(rows, asked, model);
        const found = findRows(engine.session(), model, asRequest('thing'), () => asked) as Found;
        expect(found.rows.map((row) => model.shape(row.slots))).toEqual(expected.rows);
        const filtered = asked.where.length > 0;
        expect(found.total).toBe(filtered && !asked.counted ? null : expected.total);
        for (const plan of plansOf(model, asked)) {
          const stepped = step(engine, model, asked, plan, one.step);
          if (stepped === null) seen.inexact++;
          else expect(stepped.map((row) => model.shape(row.slots))).toEqual(expected.rows);
          seen[plan.kind === 'point' ? 'key' : plan.kind]++;
          if (!plan.ordered) seen.sorted++;
          if (plan.kind === 'index' && plan.merged) seen.merged++;
          if (plan.kind === 'index' && plan.ranges.length > 1) seen.ranges++;
        }
        if (asked.after !== null || asked.before !== null) seen.cursors++;
        seen.rows += expected.rows.length;
      }
    });
    fc.assert(property, { numRuns: 850, seed });
    // A generator that never reached an access path would prove nothing about it.
    for (const path of [
      'index',
      'table',
      'sorted',
      'key',
      'merged',
      'ranges',
      'intersection',
      'cursors',
      'rows',
    ] as const)
      expect(seen[path], path).toBeGreaterThan(20);
    expect(seen.inexact, `inexact ${seen.inexact}`).toBeGreaterThan(0);
  }, 60_000);

  test('a list too long for a turn goes on in slices over a snapshot, with the same answer', async () => {
    const engine = new Engine(productOf([entityOf('thing', FIELDS, { index: [['i']] })]));
    const model = engine.models.get('thing')!;
    const count = 3 * limits.data.turnScanRowsMax;
    for (let i = 0; i < count; i++) createRow(engine.session(), model, { i, t: `t${i % 10}` }, asRequest('thing'));
    engine.end(true);
    const find = (parts: Partial<Query>) =>
      findRows(engine.session(), model, asRequest('thing'), () => query('thing', { limit: 3, ...parts }));
    const short = find({ order: [{ kind: 'order', field: 'i', descending: true }] }) as Found;
    expect(short.rows.map((row) => model.shape(row.slots)['i'])).toEqual([count - 1, count - 2, count - 3]);
    expect(engine.yields).toBe(0);
    const asked: Partial<Query>[] = [
      { where: [equals('t', 't7')], counted: true },
      { where: [equals('t', 't7')], order: [{ kind: 'order', field: 'i', descending: true }], counted: true },
      { where: [equals('t', 't7')], order: [{ kind: 'order', field: 'n', descending: false }], offset: 5 },
    ];
    for (const parts of asked) {
      const before = engine.yields;
      const found = (await find(parts)) as Found;
      expect(engine.yields).toBeGreaterThanOrEqual(before + 5);
      const expected = naive(allRows(engine, model), query('thing', { limit: 3, deleted: true, ...parts }));
      expect(found.rows.map((row) => model.shape(row.slots))).toEqual(expected.rows);
      if (parts.counted === true) expect(found.total).toBe(count / 10);
    }
  });

  test('a scan that outlives its snapshot is given up', async () => {
    const engine = new Engine(productOf([entityOf('thing', FIELDS)]));
    const model = engine.models.get('thing')!;
    for (let i = 0; i <= 2 * limits.data.turnScanRowsMax; i++)
      createRow(engine.session(), model, { i }, asRequest('thing'));
    engine.end(true);
    const session = {
      ...engine.session(),
      yieldTurn: () => Promise.resolve(engine.clock.advance(limits.storage.snapshotMsMax + 1)),
    };
    const asked = query('thing', { where: [equals('i', -1)], limit: 1 });
    expect(await findRows(session, model, asRequest('thing'), () => asked)).toMatchObject({
      kind: 'failure',
      status: 500,
    });
  });
});
