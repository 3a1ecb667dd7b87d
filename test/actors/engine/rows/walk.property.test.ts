/** A long walk (exports, retention) against a naive evaluator, while others write and its snapshots are exchanged. */
import { expect, test } from 'vitest';
import { isFailure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Query } from '#actors/engine/rows/query.ts';
import { walkRows } from '#actors/engine/rows/walk.ts';
import { limits } from '#config/limits.ts';
import { asRequest, type Engine } from '#test/kit/data-session.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { naive, type Row } from './query-oracle.ts';
import { allRows, engineOf, operation, queryOf, run, scenario, write } from './query-scenario.ts';

const seed = testSeed();
const RUNS = rounds({ suite: 150, ci: 600 });

/** The rows of a walk whose slices see few entries; `between` runs whenever it lets others have a turn. */
async function walked(engine: Engine, model: EntityModel, asked: Query, rows: number, between: () => void) {
  const session = {
    ...engine.session(),
    yieldTurn: () => {
      between();
      return Promise.resolve();
    },
  };
  const bound = { sliceReadMsMax: 1, sliceRowsMax: rows, sliceBytesMax: 1e6 };
  const batches = await walkRows(session, model, asRequest('thing'), asked, bound);
  if (isFailure(batches)) throw new Error(batches.message);
  const found: Row[] = [];
  for await (const batch of batches) found.push(...batch.map(({ slots }) => model.shape(slots)));
  return found;
}

/** As an export asks: no page but a limit. */
const whole = (asked: Query): Query => ({ ...asked, offset: 0, after: null, before: null, counted: false });

const byId = (rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => ((a['id'] as string) < (b['id'] as string) ? -1 : 1));

test(`meets every row once, in the wanted order (seed ${seed})`, async () => {
  const seen = { rows: 0, ordered: 0, stages: 0 };
  const property = fc.asyncProperty(
    scenario,
    fc.integer({ min: 1, max: 4 }),
    fc.boolean(),
    async (given, size, isSlow) => {
      const { engine, model } = engineOf(given);
      run(engine, model, given);
      const rows = allRows(engine, model);
      const between = (): void => {
        if (!isSlow) return;
        engine.clock.advance(limits.data.exportSnapshotMs + 1);
        seen.stages++;
      };
      for (const one of given.queries) {
        const asked = whole(queryOf(engine, model, one));
        const all = naive(rows, { ...asked, limit: 100 }, model).rows;
        const found = await walked(engine, model, { ...asked, limit: 100 }, size, between);
        if (asked.order.length > 0) expect(found).toEqual(all);
        else expect(byId(found)).toEqual(byId(all));
        const some = await walked(engine, model, asked, size, between);
        expect(some).toEqual(found.slice(0, asked.limit));
        seen.rows += found.length;
        seen.ordered += Number(asked.order.length > 0 && found.length > 1);
      }
    },
  );
  await fc.assert(property, { numRuns: RUNS, seed });
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(50);
});

test(`rows that no write touches meanwhile are met once, whatever is written beside them (seed ${seed})`, async () => {
  const seen = { untouched: 0, written: 0 };
  const writes = fc.array(operation, { minLength: 1, maxLength: 10 });
  const property = fc.asyncProperty(scenario, writes, fc.integer({ min: 1, max: 4 }), async (given, beside, size) => {
    const { engine, model } = engineOf(given);
    const ids = run(engine, model, given);
    for (const one of given.queries.slice(0, 3)) {
      const before = allRows(engine, model);
      const asked = { ...whole(queryOf(engine, model, one)), limit: 100 };
      const touched = new Set<string>();
      let at = 0;
      const found = await walked(engine, model, asked, size, () => {
        const next = beside[at++];
        if (next === undefined) return;
        touched.add(write(engine, model, { ...next, commit: true }, ids));
        engine.clock.advance(next.commit ? limits.data.exportSnapshotMs + 1 : 0);
        seen.written++;
      });
      const rest = (rows: readonly Row[]): Row[] => rows.filter((row) => !touched.has(row['id'] as string));
      const expected = rest(naive(before, asked, model).rows);
      if (asked.order.length > 0) expect(rest(found)).toEqual(expected);
      else expect(byId(rest(found))).toEqual(byId(expected));
      seen.untouched += expected.length;
    }
  });
  await fc.assert(property, { numRuns: RUNS, seed });
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(50);
});
