/** Aggregates, with groups and without, and buckets of time: the engine, from the parameters on, against PostgreSQL. */
import { expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import type { Query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { groupSql, insertSql } from '#actors/engine/rows/sql.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import type { FieldDefinition } from '#config/definitions/product.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { emptyPostgres } from '#test/kit/postgres.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { testSeed } from '#test/kit/seed.ts';

const RUNS = rounds({ suite: 500, ci: 1000 }, 'SKEP_QUERY_RUNS');
const seed = testSeed();
const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  s: { type: 'string' },
  i: { type: 'integer' },
  n: { type: 'number' },
  d: { type: 'decimal' },
  b: { type: 'boolean' },
  day: { type: 'date' },
  at: { type: 'datetime' },
};
const TABLE = `CREATE TABLE thing (id text PRIMARY KEY, s text, i bigint, n double precision, d numeric, b boolean, day date,
  at timestamptz, deleted_at text, deleted_by text)`;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'America/Havana',
  'Asia/Beirut',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Africa/Casablanca',
  'Africa/Monrovia',
];
/** Around the changes of clocks of those zones: hours that are missing, hours that come twice, midnights that are either, a day that is missing. */
const CHANGES = [
  '2026-03-29T01:00:00.000Z',
  '2026-10-25T01:00:00.000Z',
  '2026-03-08T07:00:00.000Z',
  '2026-11-01T06:00:00.000Z',
  '2026-03-08T05:30:00.000Z',
  '2026-04-04T15:00:00.000Z',
  '2026-10-03T15:30:00.000Z',
  '2018-11-04T03:00:00.000Z',
  '2018-02-18T02:00:00.000Z',
  '2026-11-01T05:00:00.000Z',
  '2026-03-28T22:00:00.000Z',
  '2011-12-30T10:00:00.000Z',
  '2026-02-15T02:00:00.000Z',
  '1972-01-07T00:44:30.000Z',
  '2025-12-31T23:00:00.000Z',
];
const around = CHANGES.flatMap((at) =>
  [-3_600_000, -1_800_000, -1, 0, 1_799_999, 3_600_000, 86_400_000].map((far) =>
    new Date(Date.parse(at) + far).toISOString(),
  ),
);
const long = 'y'.repeat(80);
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  s: ['', 'a', 'ab', "it's", 'ü', '\ue000', '😀', long, `${long}z`],
  i: [-5, 0, 3, 12, '9007199254740993', '-9007199254740994'],
  // Sums of these are the same in whatever order they are added: multiples of a power of two, and one beside which all others vanish.
  n: [-1.5, 0, 0.25, 1e100, -(2 ** -20)],
  d: ['0', '-1.50', '-1.5', '2', '2.00', '0.003', '12345678901234567890.5'],
  b: [true, false],
  day: ['1999-12-31', '2026-01-01', '2024-02-29', '2026-01-04', '2026-01-05'],
  at: around,
};
const NAMES = Object.keys(FIELDS);
const numbers = ['i', 'n', 'd'];
const ordered = ['s', 'i', 'd', 'day', 'at'];
const aggregate = fc.oneof(
  fc.constantFrom(...NAMES).chain((name) => fc.constantFrom(`count(${name})`, `count_distinct(${name})`)),
  fc.constantFrom(...numbers).chain((name) => fc.constantFrom(...(name === 'n' ? ['avg(n)'] : [`sum(${name})`]))),
  fc.constantFrom(...ordered).chain((name) => fc.constantFrom(`min(${name})`, `max(${name})`)),
);
const bucket = fc.oneof(
  fc.constantFrom('hour', 'day', 'week', 'month', 'year').map((unit) => `${unit}(at)`),
  fc.constantFrom('day', 'week', 'month', 'year').map((unit) => `${unit}(day)`),
);
const any = fc.record({
  aggregates: fc.uniqueArray(aggregate, { maxLength: 5 }),
  buckets: fc.uniqueArray(bucket, { maxLength: 2 }),
  zone: fc.constantFrom(...ZONES),
  by: fc.subarray(['s', 'b', 'd']),
  where: fc.constantFrom(
    '',
    'i[gt]=0',
    'b=true',
    'at[gte]=2026-03-29T00:30:00Z',
    'at[null]=true',
    'i[gt]=100000',
    'd=77',
    '[or]=[{"b":false},{"day":{"gt":"2000-01-01"}}]',
  ),
  having: fc.subarray(['count[gt]=2', 'count[gte]=1']),
  byCount: fc.boolean(),
  limit: fc.integer({ min: 1, max: 40 }),
  offset: fc.constantFrom(0, 0, 0, 1, 2),
  deleted: fc.boolean(),
});
/** Without groups more often than the lists are empty by themselves. */
const wanted = fc
  .tuple(fc.constantFrom(true, false, false), any)
  .map(([isWhole, given]) => (isWhole ? { ...given, by: [], buckets: [] } : given));
type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

const database = await emptyPostgres();

function fill(engine: Engine, model: EntityModel): string[] {
  const session = engine.session();
  const rows = fc.sample(
    fc.record(
      Object.fromEntries(NAMES.map((name) => [name, fc.option(fc.constantFrom(...VALUES[name]!), { freq: 8 })])),
    ),
    { numRuns: 250, seed },
  );
  for (const [i, row] of rows.entries()) {
    const written = createRow(session, model, row, asRequest('thing'));
    if (isFailure(written)) throw new Error(written.message);
    if (i % 6 === 0) void deleteRow(session, model, model.shape(written.after!)['id'], false, asRequest('thing'));
    engine.clock.advance(1);
  }
  engine.end(true);
  const { from, to } = tableRange(model.table);
  return [...engine.turn.range(from, to)].map(({ value }) => insertSql(model, model.pad(decodeSlots(value))));
}

function queryOf(model: EntityModel, given: Wanted): Query {
  const search = new URLSearchParams(given.where);
  search.set('[aggregate]', ['count', ...given.aggregates].join(','));
  if (given.by.length > 0) search.set('groupby', given.by.join(','));
  if (given.buckets.length > 0) {
    search.set('[bucket]', given.buckets.join(','));
    search.set('[zone]', given.zone);
  }
  for (const test of given.having) search.append('having', test);
  if (given.byCount) search.set('orderby', '-count');
  for (const name of ['limit', 'offset', 'deleted'] as const) search.set(name, String(given[name]));
  const parsed = parseQuery(model, new Parameters(search));
  if (isFailure(parsed)) throw new Error(parsed.message);
  return parsed;
}

/** Values as both sides can be compared. */
function plain(cell: unknown): unknown {
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'bigint') return cell.toString();
  if (typeof cell === 'number') return Number.isSafeInteger(cell) ? String(cell) : cell.toPrecision(12);
  if (typeof cell !== 'string') return cell;
  if (/^\d{4}-\d\d-\d\d$/.test(cell)) return `${cell}T00:00:00.000Z`;
  return /^-?\d+\.\d+$/.test(cell) ? cell.replace(/\.?0+$/, '') : cell;
}

test(`the engine gives what PostgreSQL gives (seed ${seed})`, { timeout: 60_000 + RUNS * 20 }, async () => {
  const index = [['b'], ['i'], ['at']];
  const engine = new Engine(productOf([entityOf('thing', FIELDS, { traits: ['soft_delete'], index })]));
  const model = engine.models.get('thing')!;
  await database.exec(TABLE);
  for (const statement of fill(engine, model)) await database.exec(statement);
  const reached = { ungrouped: 0, nothing: 0, hours: 0, days: 0, distinct: 0, groups: 0 };
  const property = fc.asyncProperty(wanted, async (given) => {
    const asked = queryOf(model, given);
    const found = (await findRows(engine.session(), model, asRequest('thing'), () => asked)) as Found;
    const { rows } = await database.query<unknown[]>(groupSql(model, asked, asked.group!), [], { rowMode: 'array' });
    expect(found.groups!.map((group) => group.map(plain))).toEqual(rows.map((row) => row.map(plain)));
    const isWhole = asked.group!.by.length === 0;
    if (isWhole) reached.ungrouped++;
    if (isWhole && found.groups![0]?.[0] === 0) reached.nothing++;
    if (given.buckets.includes('hour(at)')) reached.hours++;
    if (given.buckets.some((one) => one.endsWith('(at)') && one !== 'hour(at)')) reached.days++;
    if (given.aggregates.some((one) => one.startsWith('count_distinct'))) reached.distinct++;
    reached.groups += found.groups!.length;
  });
  await fc.assert(property, { numRuns: RUNS, seed });
  tally({ queries: RUNS });
  for (const [what, count] of Object.entries(reached)) expect(count, what).toBeGreaterThan(RUNS / 1000);
  if (RUNS > 2000) console.log(reached);
});
