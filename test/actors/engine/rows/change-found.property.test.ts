/** Changes and deletes by a filter, under access rules and a row rule, against the printed statement in PostgreSQL. */
import { expect, test } from 'vitest';
import { allOf, conjunctionOfTree } from '#actors/engine/rows/alternatives.ts';
import { changeFound, type Changed } from '#actors/engine/rows/change-found.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import { query, type Operator, type Predicate, type Query } from '#actors/engine/rows/query.ts';
import { changeFoundSql, insertSql } from '#actors/engine/rows/sql.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import type { FieldDefinition } from '#config/definitions/product.ts';
import { entityOf, productOf, SUPERADMIN } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { emptyPostgres } from '#test/kit/postgres.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { testSeed } from '#test/kit/seed.ts';
import { treeOf } from './query-scenario.ts';

const RUNS = rounds({ suite: 400, ci: 1000 }, 'SKEP_QUERY_RUNS');
const seed = testSeed();
const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  s: { type: 'string', required: true },
  i: { type: 'integer' },
  d: { type: 'decimal' },
  b: { type: 'boolean', required: true },
};
const TABLE = `CREATE TABLE thing (id text PRIMARY KEY, s text, i bigint, d numeric, b boolean, deleted_at text, deleted_by text)`;
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  s: ['', 'a', 'ab', "it's", 'hidden', '😀'],
  i: [-5, 0, 3, 12, '9007199254740993'],
  d: ['0', '-1.50', '2', '2.00', '12345678901234567890.5'],
  b: [true, false],
};
const NAMES = Object.keys(FIELDS);
const NULLABLE = ['i', 'd'];
/** What the rules of the entity say, in SQL: `s != 'hidden'` of each row, `b` of each that is changed or deleted. */
const RULES = `s <> 'hidden' AND b`;

const valueOf = (name: string) => fc.constantFrom(...VALUES[name]!);
const predicate: fc.Arbitrary<Predicate> = fc.constantFrom(...NAMES).chain((field) => {
  const made = (op: Operator) => (value: unknown) => ({ kind: 'predicate' as const, field, op, value });
  return fc.oneof(
    fc.constantFrom<Operator[]>('eq', 'ne', 'gt', 'gte', 'lt', 'lte').chain((op) => valueOf(field).map(made(op))),
    fc.array(valueOf(field), { maxLength: 3 }).map(made('in')),
    fc.boolean().map(made('null')),
  );
});
const input = fc
  .subarray(NAMES)
  .chain((names) =>
    fc.record(
      Object.fromEntries(
        names.map((name) => [name, NULLABLE.includes(name) ? fc.option(valueOf(name), { freq: 4 }) : valueOf(name)]),
      ),
    ),
  );
const wanted = fc.record({
  verb: fc.constantFrom('update' as const, 'update' as const, 'delete' as const),
  purge: fc.boolean(),
  input,
  where: fc.array(predicate, { maxLength: 2 }),
  groups: fc.array(treeOf(predicate), { maxLength: 1 }),
  off: fc.constantFrom(0, 0, 0, 1, -1),
});

const database = await emptyPostgres();

interface State {
  readonly id: string;
  readonly isDeleted: boolean;
  readonly [field: string]: unknown;
}

function plain(cell: unknown): unknown {
  if (typeof cell === 'number' || typeof cell === 'bigint') return String(cell);
  return typeof cell === 'string' && /^-?\d+\.\d+$/.test(cell) ? cell.replace(/\.?0+$/, '') : cell;
}

function stateOf(row: Record<string, unknown>): State {
  const fields = NAMES.map((name) => [name, name === 's' ? row[name] : plain(row[name])]);
  return { id: row['id'] as string, isDeleted: row['deleted_at'] !== null, ...Object.fromEntries(fields) };
}

test(`the engine changes what PostgreSQL changes (seed ${seed})`, { timeout: 60_000 + RUNS * 20 }, async () => {
  const access = { create: 'true', read: 'true', update: 'row.b', delete: 'row.b', purge: 'row.b' };
  const engine = new Engine(
    productOf([
      entityOf('thing', FIELDS, {
        traits: ['soft_delete'],
        index: [['i'], ['s', 'b']],
        access,
        rowRule: "row.s != 'hidden' || principal.superadmin",
      }),
    ]),
  );
  const model = engine.models.get('thing')!;
  const all = () => {
    const { from, to } = tableRange(model.table);
    return [...engine.turn.range(from, to)].map(({ value }) => model.pad(decodeSlots(value)));
  };
  const rows = fc.sample(
    fc.record(
      Object.fromEntries(
        NAMES.map((name) => [name, NULLABLE.includes(name) ? fc.option(valueOf(name)) : valueOf(name)]),
      ),
    ),
    { numRuns: 80, seed },
  );
  for (const row of rows) {
    const written = createRow(engine.session(SUPERADMIN), model, row, asRequest('thing'));
    if (isFailure(written)) throw new Error(written.message);
  }
  engine.end(true);
  await database.exec(TABLE);
  for (const slots of all()) await database.exec(insertSql(model, slots));
  const reached = { updated: 0, deleted: 0, purged: 0, none: 0, fewer: 0, more: 0, denied: 0, unchanged: 0 };

  const property = fc.asyncProperty(wanted, async ({ verb, purge, input: given, where, groups, off }) => {
    const conditions = allOf([{ where, any: [] }, ...groups.map((one) => conjunctionOfTree(one))]);
    const asked: Query = query('thing', conditions);
    const values = verb === 'update' ? given : null;
    const change = `${changeFoundSql(model, asked, values, purge && verb === 'delete')} AND ${RULES}`;
    const { rows: matching } = await database.query<{ count: number }>(
      `SELECT count(*) AS count ${/^SELECT count\(\*\) (.*)$/s.exec(`${changeFoundSql(model, asked, {}, false)} AND ${RULES}`)![1]!}`,
    );
    const there = matching[0]!.count;
    const count = Math.max(0, there + off);
    const outcome = await changeFound(engine.session(), model, {
      verb,
      wanted: count,
      input: values,
      purge: purge && verb === 'delete',
      method: 'PATCH',
      parse: () => asked,
    });
    if (isFailure(outcome)) {
      // The row rule does not admit what a row would become.
      expect([outcome.status, given['s'], count === there && there > 0]).toEqual([403, 'hidden', true]);
      reached.denied++;
      engine.end(false);
      return;
    }
    if (count !== there) {
      expect(outcome).toEqual({ kind: 'miscount', found: count < there ? null : there });
      expect(engine.turn.dirty).toBe(false);
      reached[count < there ? 'fewer' : 'more']++;
      engine.end(false);
      return;
    }
    expect(outcome).toMatchObject({ kind: 'changed', total: there });
    await database.exec('BEGIN');
    await database.exec(change);
    const { rows: after } = await database.query<Record<string, unknown>>(
      'SELECT * FROM thing ORDER BY id COLLATE "C"',
    );
    await database.exec('ROLLBACK');
    expect(all().map((slots) => stateOf(model.shape(slots)))).toEqual(after.map(stateOf));
    if (there === 0) reached.none++;
    else if ((outcome as Changed).affected === 0) reached.unchanged++;
    else reached[verb === 'update' ? 'updated' : purge ? 'purged' : 'deleted']++;
    engine.end(false);
  });
  await fc.assert(property, { numRuns: RUNS, seed });
  tally({ queries: RUNS });
  for (const [what, times] of Object.entries(reached)) expect(times, what).toBeGreaterThan(RUNS / 400);
  if (RUNS > 2000) console.log(reached);
});
