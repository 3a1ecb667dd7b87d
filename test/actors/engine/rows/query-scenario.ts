/** Generated schemas, rows and queries for the engine below the wire. */
import { allOf, conjunctionOfTree, type Tree } from '#actors/engine/rows/alternatives.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { equals, query, type Operator, type Predicate, type Query } from '#actors/engine/rows/query.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import type { FieldDefinition } from '#config/definitions/product.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { fc } from '#test/kit/property.ts';
import type { Row } from './query-oracle.ts';

export const FIELDS: Readonly<Record<string, FieldDefinition>> = {
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
export const rowArbitrary = fc.record(Object.fromEntries(NAMES.map((name) => [name, value(name)])));
const fieldList = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 });
export const operation = fc.record({
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
/** The place of a row that a page begins or ends at; mostly none, for two of them leave little between. */
export const cursor = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat() });
/** Conditions as callers write them: groups in groups. */
export const treeOf = (leaf: fc.Arbitrary<Predicate>): fc.Arbitrary<Tree> =>
  fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'tree' },
      { weight: 2, arbitrary: leaf },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('any' as const),
          of: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('all' as const),
          of: fc.array(tie('tree'), { minLength: 1, maxLength: 2 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('not' as const), of: tie('tree') }) },
    ),
  })).tree;
export const tree = treeOf(predicate);
/** Alternatives of equalities, which a union of indexes can answer; and any others. */
const alternatives: fc.Arbitrary<Tree> = fc.oneof(
  fc.record({
    kind: fc.constant('any' as const),
    of: fc.array(
      fc.oneof(
        ...['t', 'b', 'day', 's', 'i'].map((name) => fc.constantFrom(...VALUES[name]!).map((one) => equals(name, one))),
      ),
      { minLength: 2, maxLength: 3 },
    ),
  }),
  tree,
);
const wanted = fc.record({
  groups: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Tree[]>([]) },
    { weight: 2, arbitrary: fc.array(alternatives, { minLength: 1, maxLength: 2 }) },
  ),
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
export const scenario = fc.record({
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
export type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;
export type Operation = Scenario['operations'][number];

/** An engine whose one entity has the scenario's indexes. */
export function engineOf({ index, unique }: Scenario): { engine: Engine; model: EntityModel } {
  const traits = ['soft_delete', 'versioned', 'timestamps'] as const;
  const engine = new Engine(productOf([entityOf('thing', FIELDS, { traits, index, unique })]));
  return { engine, model: engine.models.get('thing')! };
}

/** Writes as a tenant's requests would; a refused one changes nothing. `ids` are those of the rows so far. */
export function write(engine: Engine, model: EntityModel, { kind, at, row, commit }: Operation, ids: string[]): string {
  const session = engine.session();
  const id = ids[at % Math.max(1, ids.length)] ?? 'none';
  const request = asRequest('thing');
  const written =
    kind === 'create'
      ? createRow(session, model, row, request)
      : kind === 'update'
        ? updateRow(session, model, id, row, request)
        : (deleteRow(session, model, id, kind === 'purge', request) as Written | Failure);
  const made = kind === 'create' && !isFailure(written) ? (model.shape(written.after!)['id'] as string) : null;
  if (made !== null) ids.push(made);
  engine.clock.advance(1);
  if (commit) engine.end(true);
  return made ?? id;
}

/** The ids of all rows that ever were. */
export function run(engine: Engine, model: EntityModel, { operations }: Scenario): string[] {
  const ids: string[] = [];
  for (const operation of operations) write(engine, model, operation, ids);
  engine.end(true);
  return ids;
}

export function allRows(engine: Engine, model: EntityModel): Row[] {
  const { from, to } = tableRange(model.table);
  return [...engine.turn.range(from, to)].map(({ value }) => model.shape(model.pad(decodeSlots(value))));
}

type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

export function queryOf(
  engine: Engine,
  model: EntityModel,
  { where, groups, order, cursors, ids, limit, counted, deleted, ...given }: Wanted,
): Query {
  const range = tableRange(model.table);
  const all = [...engine.turn.range(range.from, range.to)].map(({ value: bytes }) => model.pad(decodeSlots(bytes)));
  const place = (at: number | null) => (at === null || all.length === 0 ? null : all[at % all.length]!);
  const keys = (ids?.[1] ?? []).map((at) => place(at)?.[model.key.at] ?? NO_ID);
  const keyed: Predicate[] =
    ids === null ? [] : [{ kind: 'predicate', field: 'id', op: ids[0], value: ids[0] === 'in' ? keys : keys[0] }];
  const [after, before] = cursors.map(place);
  const offset = after === null && before === null ? given.offset : 0;
  const conditions = allOf([{ where: [...where, ...keyed], any: [] }, ...groups.map((one) => conjunctionOfTree(one))]);
  return query('thing', {
    limit,
    counted,
    deleted,
    offset,
    ...conditions,
    order: order.map(([field, descending]) => ({ kind: 'order', field, descending })),
    after: after!,
    before: before!,
  });
}
