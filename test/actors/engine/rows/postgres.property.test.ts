/** `stats.sql` in a real PostgreSQL against the engine: the statement that a list prints gives the rows that it shows. */
import { emptyPostgres } from '#test/kit/postgres.ts';
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { allOf, conjunctionOfTree, type Tree } from '#actors/engine/rows/alternatives.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { parseGrouping } from '#actors/engine/rows/group/parse.ts';
import { FarColumns } from '#actors/engine/rows/path/columns.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { equals, query, type Grouping, type Operator, type Predicate, type Query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { groupSql, insertSql, selectSql } from '#actors/engine/rows/sql.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import type { FieldDefinition } from '#config/definitions/product.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { testSeed } from '#test/kit/seed.ts';
import { rounds } from '#test/kit/rounds.ts';
import { cursor, treeOf } from './query-scenario.ts';

const seed = testSeed();
const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  s: { type: 'string' },
  i: { type: 'integer' },
  n: { type: 'number' },
  d: { type: 'decimal' },
  b: { type: 'boolean' },
  day: { type: 'date' },
};
const TABLE = `CREATE TABLE thing (id text PRIMARY KEY, s text, i bigint, n double precision, d numeric, b boolean, day date,
  deleted_at text, deleted_by text)`;
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  s: ['', 'a', 'ab', "it's", 'B', 'ü', '\ue000', '😀', '%', 'a_b', '\\'],
  i: [-5, 0, 3, 12, '9007199254740993', '-9007199254740994'],
  n: [-1.5, 0, 0.25, 1e300, -1e-300],
  d: ['0', '-1.50', '-1.5', '2', '10', '0.003', '12345678901234567890.5'],
  b: [true, false],
  day: ['1999-12-31', '2026-01-01'],
};
const NAMES = Object.keys(FIELDS);
const PATTERNS = ['a%', '%b', 'a_%', '%', '', '_', '\\%', "%'%", '%B%'];

const value = (name: string) => fc.constantFrom(...VALUES[name]!);
const predicate: fc.Arbitrary<Predicate> = fc.constantFrom(...NAMES).chain((field) => {
  const make = (op: Operator) => (operand: unknown) => ({ kind: 'predicate' as const, field, op, value: operand });
  const kinds = [
    fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte').chain((op) => value(field).map(make(op as Operator))),
    fc.array(value(field), { maxLength: 3 }).map(make('in')),
    fc.array(value(field), { maxLength: 2 }).map(make('nin')),
    fc.tuple(value(field), value(field)).map(make('between')),
    fc.boolean().map(make('null')),
  ];
  if (field === 's')
    for (const op of ['like', 'ilike'] as const) kinds.push(fc.constantFrom(...PATTERNS).map(make(op)));
  return fc.oneof(...kinds);
});
const wanted = fc.record({
  groups: fc.oneof(fc.constant<Tree[]>([]), fc.array(treeOf(predicate), { minLength: 1, maxLength: 2 })),
  where: fc.array(predicate, { maxLength: 3 }),
  order: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES, 'id'), fc.boolean()), {
    maxLength: 3,
    selector: ([f]) => f,
  }),
  limit: fc.nat(12),
  offset: fc.nat(4),
  deleted: fc.boolean(),
  after: cursor,
  before: cursor,
  by: fc.option(fc.uniqueArray(fc.constantFrom('s', 'i', 'b', 'day'), { minLength: 1, maxLength: 2 }), { freq: 1 }),
  having: fc.subarray([
    ['count[gt]', '1'],
    ['sum(i)[gte]', '3'],
    ['min(s)[lt]', 'b'],
  ] as [string, string][]),
});
type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

const database = await emptyPostgres();

const NO_BUCKETS = { buckets: [], zone: undefined };
const AGGREGATES = ['sum(i)', 'sum(d)', 'min(s)', 'max(day)', 'avg(n)', 'min(i)'];

function fill(engine: Engine, model: EntityModel): string[] {
  const session = engine.session();
  const random = fc.sample(fc.record(Object.fromEntries(NAMES.map((name) => [name, fc.option(value(name))]))), {
    numRuns: rounds({ suite: 30, ci: 120 }),
    seed,
  });
  for (const [i, row] of random.entries()) {
    const written = createRow(session, model, row, asRequest('thing'));
    if (isFailure(written)) throw new Error(written.message);
    const id = model.shape(written.after!)['id'];
    const gone = i % 6 === 0 ? deleteRow(session, model, id, false, asRequest('thing')) : null;
    if (gone instanceof Promise) throw new Error('one row is deleted within a turn');
    engine.clock.advance(1);
  }
  engine.end(true);
  return slotsOf(engine, model).map((slots) => insertSql(model, slots));
}

function slotsOf(engine: Engine, model: EntityModel): unknown[][] {
  const { from, to } = tableRange(model.table);
  return [...engine.turn.range(from, to)].map(({ value: bytes }) => model.pad(decodeSlots(bytes)));
}

function queryOf(engine: Engine, model: EntityModel, given: Wanted): Query {
  const { where: plain, groups, order, by, having, after, before, ...page } = given;
  const conditions = allOf([{ where: plain, any: [] }, ...groups.map((one) => conjunctionOfTree(one))]);
  const all = slotsOf(engine, model);
  const place = (at: number | null) => (at === null ? null : all[at % all.length]!);
  if (by === null) {
    const terms = order.map(([field, descending]) => ({ kind: 'order' as const, field, descending }));
    return query('thing', { ...page, ...conditions, order: terms, after: place(after), before: place(before) });
  }
  const group = parseGrouping(model, {
    by,
    select: AGGREGATES,
    having,
    order: [],
    ...NO_BUCKETS,
    far: new FarColumns(model, null),
  }) as Grouping;
  return query('thing', { ...page, ...conditions, group });
}

/** Numbers as both sides can be compared: exact where they are exact. */
function plain(cell: unknown): unknown {
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  if (typeof cell === 'bigint') return cell.toString();
  if (typeof cell === 'number')
    return Number.isInteger(cell) && Math.abs(cell) < 1e15 ? String(cell) : cell.toPrecision(12);
  if (typeof cell === 'string' && /^-?\d+(\.\d+)?$/.test(cell))
    return cell.includes('.') ? cell.replace(/\.?0+$/, '') : cell;
  return cell;
}

describe(`against PostgreSQL (seed ${seed})`, () => {
  test('the printed statement gives what the engine gives', async () => {
    const index = [['s'], ['i', 'b'], ['b', 'day'], ['day'], ['d']];
    const engine = new Engine(productOf([entityOf('thing', FIELDS, { traits: ['soft_delete'], index })]));
    const model = engine.models.get('thing')!;
    await database.exec(TABLE);
    for (const statement of fill(engine, model)) await database.exec(statement);
    const property = fc.asyncProperty(wanted, async (given) => {
      const asked = queryOf(engine, model, given);
      const found = findRows(engine.session(), model, asRequest('thing'), () => asked) as Found;
      if (asked.group === null) {
        const { rows } = await database.query<{ id: string }>(selectSql(model, asked));
        const shown = found.rows.map((row) => model.shape(row.slots)['id']);
        const backward = asked.after === null && asked.before !== null;
        expect(shown).toEqual((backward ? rows.toReversed() : rows).map(({ id }) => id));
      } else {
        const { rows } = await database.query<unknown[]>(groupSql(model, asked, asked.group), [], { rowMode: 'array' });
        expect(found.groups!.map((group) => group.map(plain))).toEqual(rows.map((row) => row.map(plain)));
      }
    });
    await fc.assert(property, { numRuns: rounds({ suite: 350, ci: 750 }), seed });
  }, 60_000);

  test('names and texts cannot leave their quotes', async () => {
    const engine = new Engine(productOf([entityOf('thing', FIELDS)]));
    const model = engine.models.get('thing')!;
    for (const text of ["'; DROP TABLE thing; --", "\\'", '"', '$$', '/*', "''"]) {
      const { rows } = await database.query(selectSql(model, query('thing', { where: [equals('s', text)] })));
      expect(rows).toEqual([]);
    }
  });
});
