/** Creates and upserts of many rows against PostgreSQL's INSERT … ON CONFLICT, row by row, all or none. */
import { expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { createRows } from '#actors/engine/rows/create-many.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import { literal } from '#actors/engine/rows/sql.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import { takeSteps } from '#actors/kit/pace/steps.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { emptyPostgres } from '#test/kit/postgres.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { testSeed } from '#test/kit/seed.ts';

const RUNS = rounds({ suite: 400, ci: 1000 }, 'SKEP_QUERY_RUNS');
const seed = testSeed();
const TABLE = `CREATE TABLE thing (u text UNIQUE, a bigint, b numeric, n bigint, UNIQUE (a, b))`;
const FIELDS = ['u', 'a', 'b', 'n'] as const;
const long = 'x'.repeat(1900);
const row = fc.record(
  {
    u: fc.option(fc.constantFrom('', 'p', 'q', 'r', '😀', `${long}1`, `${long}2`), { freq: 6 }),
    a: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 6 }),
    b: fc.option(fc.constantFrom('1', '1.0', '2.5'), { freq: 6 }),
    n: fc.nat(99),
  },
  { requiredKeys: [] },
);
type Row = Partial<Record<(typeof FIELDS)[number], unknown>>;
const wanted = fc.record({
  before: fc.array(row, { maxLength: 4 }),
  rows: fc.array(row, { minLength: 1, maxLength: 4 }),
  on: fc.constantFrom(null, ['u'], ['a', 'b'], ['b', 'a']),
});

const database = await emptyPostgres();

function insert(given: Row, on: readonly string[] | null): string {
  const names = FIELDS.filter((name) => Object.hasOwn(given, name));
  const values = names.map((name) => literal(given[name]));
  const conflict =
    on === null
      ? ''
      : ` ON CONFLICT (${on.join(', ')}) DO ${names.length === 0 ? 'NOTHING' : `UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`}`;
  const columns = names.length === 0 ? 'DEFAULT VALUES' : `(${names.join(', ')}) VALUES (${values.join(', ')})`;
  return `INSERT INTO thing ${columns}${conflict}`;
}

/** The place of the first row that the database refuses; null where it takes all. */
async function inserted(rows: readonly Row[], on: readonly string[] | null): Promise<number | null> {
  for (const [at, given] of rows.entries()) {
    try {
      await database.exec(insert(given, on));
    } catch (error) {
      if (!String(error).includes('unique constraint')) throw error;
      return at;
    }
  }
  return null;
}

const plain = (cell: unknown): string =>
  JSON.stringify(cell === null ? null : `${cell as string | number}`.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''));
const sorted = (rows: readonly Record<string, unknown>[]): string[] =>
  rows.map((one) => FIELDS.map((name) => plain(one[name])).join(' ')).toSorted();

test(`the engine writes what PostgreSQL writes (seed ${seed})`, { timeout: 60_000 + RUNS * 20 }, async () => {
  await database.exec(TABLE);
  const reached = { created: 0, changed: 0, refused: 0, refusedLater: 0, twice: 0 };
  const entity = entityOf(
    'thing',
    { u: { type: 'string', unique: true }, a: { type: 'integer' }, b: { type: 'decimal' }, n: { type: 'integer' } },
    { unique: [['a', 'b']], traits: ['soft_delete'] },
  );
  const engine = new Engine(productOf([entity]));
  const model = engine.models.get('thing')!;
  const all = () => {
    const { from, to } = tableRange(model.table);
    return [...engine.turn.range(from, to)].map(({ value }) => model.shape(model.pad(decodeSlots(value))));
  };
  const property = fc.asyncProperty(wanted, async ({ before, rows, on }) => {
    await database.exec('BEGIN');
    for (const given of before) {
      await database.exec('SAVEPOINT one');
      const refused = await inserted([given], null);
      if (refused !== null) await database.exec('ROLLBACK TO one');
      expect(isFailure(createRow(engine.session(), model, given, asRequest('thing')))).toBe(refused !== null);
    }
    const there = all().length;
    let changed = 0;
    const outcome = await takeSteps(
      engine.session(),
      createRows(
        engine.session(),
        model,
        { rows, on, method: 'POST' },
        (one) => void (one.before !== null && changed++),
      ),
    );
    const refused = await inserted(rows, on);
    if (isFailure(outcome)) {
      expect([outcome.status, outcome.details!['row']]).toEqual([422, refused]);
      reached[refused === 0 ? 'refused' : 'refusedLater']++;
    } else {
      expect(refused).toBeNull();
      expect(sorted(all())).toEqual(
        sorted((await database.query<Record<string, unknown>>('SELECT * FROM thing')).rows),
      );
      if (changed > 0) reached.changed++;
      if (all().length > there) reached.created++;
      if (changed > there) reached.twice++;
    }
    await database.exec('ROLLBACK');
    engine.end(false);
  });
  await fc.assert(property, { numRuns: RUNS, seed });
  tally({ queries: RUNS });
  for (const [what, times] of Object.entries(reached)) expect(times, what).toBeGreaterThan(RUNS / 400);
  if (RUNS > 2000) console.log(reached);
});
