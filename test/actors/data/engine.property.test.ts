/** Planner and executor against a naive evaluator, and indexes against rows, over generated schemas, rows and queries. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRow } from '#actors/data/entity/create.ts';
import { deleteRow } from '#actors/data/entity/delete.ts';
import { isFailure } from '#actors/data/entity/failure.ts';
import { indexKey, tableRange } from '#actors/data/entity/keys/store.ts';
import type { EntityModel } from '#actors/data/entity/model.ts';
import { Scan } from '#actors/data/entity/execute.ts';
import { planQuery } from '#actors/data/entity/plan.ts';
import { equals, query } from '#actors/data/entity/query.ts';
import type { Query } from '#actors/data/entity/query.ts';
import { findRows } from '#actors/data/entity/read.ts';
import type { Found } from '#actors/data/entity/read.ts';
import { decodeSlots, entryId, rowCount } from '#actors/data/entity/store.ts';
import { updateRow } from '#actors/data/entity/update.ts';
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
const wanted = fc.record({
  where: fc.array(
    fc.constantFrom(...NAMES).chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...VALUES[name]!))),
    { maxLength: 3 },
  ),
  order: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES, 'id'), fc.boolean()), {
    maxLength: 3,
    selector: ([name]) => name,
  }),
  limit: fc.nat(8),
  offset: fc.nat(5),
  deleted: fc.boolean(),
  counted: fc.boolean(),
  step: fc.integer({ min: 1, max: 7 }),
});
const scenario = fc.record({
  index: fc.array(fieldList, { maxLength: 4 }),
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

function naive(rows: readonly Row[], { where, order, limit, offset, deleted }: Query): { rows: Row[]; total: number } {
  const last = order.at(-1)?.descending ?? false;
  const terms = [...order, { field: 'id', descending: last }];
  const matches = rows
    .filter((row) => deleted || row['deleted_at'] === null)
    .filter((row) => where.every((p) => row[p.field] !== null && compare(p.field, row[p.field], p.value) === 0))
    .toSorted((a, b) => {
      for (const { field, descending } of terms) {
        const difference = compare(field, a[field], b[field]);
        if (difference !== 0) return descending ? -difference : difference;
      }
      return 0;
    });
  return { rows: matches.slice(offset, offset + limit), total: matches.length };
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
          : deleteRow(session, model, id, kind === 'purge', request);
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

describe(`engine (seed ${seed})`, () => {
  test('a query answers what a naive evaluator answers, whatever plan it gets', () => {
    const seen = { key: 0, index: 0, table: 0, sorted: 0, rows: 0, inexact: 0 };
    const property = fc.property(scenario, (given) => {
      const traits = ['soft_delete', 'versioned', 'timestamps'] as const;
      const definition = entityOf('thing', FIELDS, { traits, index: given.index, unique: given.unique });
      const engine = new Engine(productOf([definition]));
      const model = engine.models.get('thing')!;
      run(engine, model, given);
      checkIndexes(engine, model);
      const rows = allRows(engine, model);
      for (const { where, order, step, ...page } of given.queries) {
        const asked = query('thing', {
          ...page,
          where: where.map(([field, v]) => equals(field, v)),
          order: order.map(([field, descending]) => ({ kind: 'order', field, descending })),
        });
        const expected = naive(rows, asked);
        const found = findRows(engine.session(), model, asRequest('thing'), () => asked) as Found;
        expect(found.rows.map((row) => model.shape(row.slots))).toEqual(expected.rows);
        const filtered = asked.where.length > 0;
        expect(found.total).toBe(filtered && !asked.counted ? null : expected.total);
        const plan = planQuery(model, asked);
        const scan = new Scan(engine.turn, model, asked, plan, null);
        while (!scan.advance(step));
        const stepped = scan.close();
        if (stepped.inexact) seen.inexact++;
        else expect(stepped.rows.map((row) => model.shape(row.slots))).toEqual(expected.rows);
        seen[plan.kind === 'point' ? 'key' : plan.kind]++;
        if (!plan.ordered) seen.sorted++;
        seen.rows += expected.rows.length;
      }
    });
    fc.assert(property, { numRuns: 300, seed });
    // A generator that never reached an access path would prove nothing about it.
    for (const path of ['index', 'table', 'sorted', 'rows'] as const) expect(seen[path]).toBeGreaterThan(100);
    expect(seen.inexact).toBeGreaterThan(0);
  });

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
    for (let i = 0; i <= limits.data.turnScanRowsMax; i++)
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
