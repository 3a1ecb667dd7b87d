/** Generated statements in a real PostgreSQL and here, over the same rows: equal results, and equal tables after a write. */
import { PGlite, types } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { compileSql } from '#actors/engine/sql/compile.ts';
import type { CompiledSql, SqlResult } from '#actors/engine/sql/compiled.ts';
import { executeSql } from '#actors/engine/sql/execute.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { servedTables, type SqlSchema } from '#actors/engine/sql/schema.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { Random } from '#test/kit/random.ts';
import { isLongRun, rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { testSeed } from '#test/kit/seed.ts';
import { Reports } from './reports.ts';
import { Statements, type Generated } from './statements.ts';

const seed = testSeed();
const count = rounds({ suite: 250, ci: 1000 }, 'SKEP_SQL_STATEMENTS');
const reportCount = rounds({ suite: 150, ci: 1000 }, 'SKEP_SQL_STATEMENTS');
/** Milliseconds for a statement on both sides, on a machine that is busy. */
const STATEMENT_MS = 180;

const TABLES = `
  set timezone to 'UTC';
  create table customer (id text collate "C" primary key, name text collate "C", city text collate "C", credit numeric,
    level int8, active bool, born date, doc jsonb);
  create table purchase (id int8 primary key, customer_id text collate "C", qty int8, price numeric, weight float8,
    status text collate "C", placed date, seen timestamptz);`;

const product = productOf([
  entityOf('customer', {
    id: { type: 'string' },
    name: { type: 'string' },
    city: { type: 'string', index: true },
    credit: { type: 'decimal' },
    level: { type: 'integer', index: true },
    active: { type: 'boolean' },
    born: { type: 'date' },
    doc: { type: 'json' },
  }),
  entityOf(
    'purchase',
    {
      id: { type: 'integer' },
      customer_id: { type: 'string', index: true },
      qty: { type: 'integer' },
      price: { type: 'decimal', index: true },
      weight: { type: 'number' },
      status: { type: 'string' },
      placed: { type: 'date', index: true },
      seen: { type: 'datetime' },
    },
    { index: [['status', 'qty']] },
  ),
]);

const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  name: ['a', 'b', 'Ab', "it's", '', 'x_y', 'Zürich'],
  city: ['a', 'b', 'c1', 'c2'],
  credit: ['0', '-1.50', '100', '0.003', '1234567890123.5'],
  level: [0, 1, 2, 3, -1],
  active: [true, false],
  born: ['1999-12-31', '2024-02-29', '2026-01-01'],
  doc: [
    { a: 1, t: ['r', 'g'], b: [1, { c: 'x' }] },
    { a: { x: 'y' }, t: [] },
    ['r', 1, ['r'], { k: true }],
    { b: { c: 2.5 }, 'ü "q"': 'n' },
    'r',
    7,
    [],
  ],
  customer_id: ['c1', 'c2', 'c3', 'c7', 'absent'],
  qty: [-3, 0, 1, 2, 5, 40],
  price: ['1', '1.0', '2.50', '-0.125', '1000000'],
  weight: [-1.5, 0, 0.25, 3],
  status: ['a', 'b', 'x_y', 'Ab', '50%'],
  placed: ['1999-12-31', '2024-02-29', '2026-01-01'],
  seen: ['2025-03-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '2024-02-29T12:30:00.250Z'],
};

const random = new Random(seed);
// One of its own: arrays are read by the parsers that it was made with.
const database = new PGlite({ parsers: { [types.INT8]: String, [types.DATE]: String, [types.TIMESTAMPTZ]: instant } });
const engine = new Engine(product);
let schema: SqlSchema;

function instant(text: string): string {
  return new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString();
}

function rowOf(entity: string, id: unknown): Record<string, unknown> {
  const row: Record<string, unknown> = { id };
  for (const name of Object.keys(product.entities[entity]!.fields))
    if (name !== 'id') row[name] = random.chance(0.12) ? null : random.pick(VALUES[name]!);
  return row;
}

async function fill(entity: string, ids: readonly unknown[]): Promise<void> {
  for (const id of ids) {
    const row = rowOf(entity, id);
    const written = createRow(engine.session(), engine.models.get(entity)!, row, asRequest(entity));
    if (isFailure(written)) throw new Error(written.message);
    const names = Object.keys(row);
    const places = names.map((_, i) => `$${i + 1}`).join(', ');
    await database.query(
      `insert into ${entity} (${names.join(', ')}) values (${places})`,
      Object.entries(row).map(([name, value]) => (name === 'doc' && value !== null ? JSON.stringify(value) : value)),
    );
  }
  engine.end(true);
}

beforeAll(async () => {
  await loadSqlParser();
  schema = servedTables(engine.models);
  await database.exec(TABLES);
  await fill(
    'customer',
    Array.from({ length: 12 }, (_, i) => `c${i}`),
  );
  await fill(
    'purchase',
    Array.from({ length: 60 }, (_, i) => i + 1),
  );
}, 60_000);
afterAll(() => database.close());

/** Numbers as both sides can be compared: which of several equal ones (1, 1.0) is met first is left open. */
function plain(cell: unknown): unknown {
  if (Array.isArray(cell)) return cell.map(plain);
  if (typeof cell === 'object' && cell !== null) {
    const entries = Object.entries(cell).map(([name, value]) => [name, plain(value)] as const);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  if (typeof cell === 'number')
    return Number.isInteger(cell) && Math.abs(cell) < 1e15 ? String(cell) : cell.toPrecision(9);
  return typeof cell === 'string' && /^-?\d+\.\d+$/.test(cell) ? cell.replace(/\.?0+$/, '') : cell;
}

function cells(rows: readonly Record<string, unknown>[], isOrdered: boolean): string[] {
  const texts = rows.map((row) => JSON.stringify(Object.values(row).map(plain)));
  return isOrdered ? texts : texts.sort();
}

async function theirs({ sql }: Generated): Promise<{ result: SqlResult; after: string[] } | string> {
  await database.exec('begin');
  try {
    const { rows, affectedRows, fields } = await database.query<Record<string, unknown>>(sql);
    const isSelect = sql.startsWith('select') || sql.startsWith('with');
    const result = { total: isSelect ? rows.length : affectedRows!, ...(fields.length > 0 && { rows }) };
    const after = isSelect
      ? []
      : cells((await database.query<Record<string, unknown>>('select * from purchase')).rows, false);
    return { result, after };
  } catch (error) {
    return (error as Error).message;
  } finally {
    await database.exec('rollback');
  }
}

async function ours({ sql }: Generated): Promise<{ result: SqlResult; after: string[] } | string> {
  let compiled: CompiledSql;
  try {
    compiled = compileSql(sql, schema, { file: 'generated', line: 1, column: 1 });
  } catch (error) {
    return (error as Error).message;
  }
  const outcome = await executeSql(compiled, {}, engine.session());
  try {
    if (isFailure(outcome)) return outcome.message;
    const all = compileSql('select * from purchase', schema, { file: 'generated', line: 1, column: 1 });
    const after = compiled.writes ? ((await executeSql(all, {}, engine.session())) as SqlResult).rows! : [];
    return { result: outcome, after: cells(after, false) };
  } finally {
    engine.end(false);
  }
}

interface Seen {
  rows: number;
  errors: number;
  bounded: number;
  empty: number;
  writes: number;
  statements: number;
}

/** Runs a statement on both sides, and counts how that ended. */
async function compared(statement: Generated, seen: Seen): Promise<void> {
  const expected = await theirs(statement);
  const given = await ours(statement);
  const where = `${statement.sql}\n${typeof expected === 'string' ? expected : ''}${typeof given === 'string' ? given : ''}`;
  seen.statements++;
  if (typeof given === 'string' && given.includes('rows at once')) {
    seen.bounded++;
    return;
  }
  expect(typeof given, where).toBe(typeof expected);
  if (typeof given === 'string' || typeof expected === 'string') {
    seen.errors++;
    return;
  }
  expect(given.result.total, where).toBe(expected.result.total);
  expect(cells(given.result.rows ?? [], statement.isOrdered), where).toEqual(
    cells(expected.result.rows ?? [], statement.isOrdered),
  );
  expect(given.after, where).toEqual(expected.after);
  seen.rows += given.result.total;
  if (given.after.length > 0) seen.writes++;
  else if (given.result.total === 0) seen.empty++;
}

const nothing = (): Seen => ({ rows: 0, errors: 0, bounded: 0, empty: 0, writes: 0, statements: 0 });

describe(`against PostgreSQL (seed ${seed})`, () => {
  test(
    `${count} generated statements give what PostgreSQL gives`,
    async () => {
      const statements = new Statements(random);
      const seen = nothing();
      for (let i = 0; i < count; i++) await compared(statements.next(), seen);
      tally({ statements: count });
      // Statements that fail on both sides, or find nothing, would prove little.
      expect(seen.errors + seen.bounded).toBeLessThan(count / 5);
      expect(seen.empty).toBeLessThan(count / 2);
      expect(seen.writes).toBeGreaterThan(count / 10);
      expect(seen.rows).toBeGreaterThan(count);
    },
    count * STATEMENT_MS,
  );

  test(
    `${reportCount} generated reports give what PostgreSQL gives`,
    async () => {
      const reports = new Reports(random);
      const forms = new Map<string, Seen>();
      for (let i = 0; i < reportCount; i++) {
        const report = reports.next();
        const seen = forms.get(report.form) ?? nothing();
        forms.set(report.form, seen);
        await compared(report, seen);
      }
      tally({ statements: reportCount });
      // Each form must be reached, and give rows rather than errors.
      expect(forms.size).toBe(12);
      for (const [form, seen] of forms) {
        expect(seen.statements, form).toBeGreaterThan(reportCount / 40);
        expect(seen.errors + seen.bounded, form).toBeLessThan(seen.statements / 4);
        expect(seen.rows, form).toBeGreaterThan(seen.statements * 2);
      }
      if (isLongRun || process.env['SKEP_SQL_STATEMENTS'] !== undefined) console.table(Object.fromEntries(forms));
    },
    reportCount * STATEMENT_MS,
  );
});
