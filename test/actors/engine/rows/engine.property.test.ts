/** Planner and executor against a naive evaluator, and indexes against rows, over generated schemas, rows and queries. */
import { describe, expect, test } from 'vitest';
import type { Plan } from '#actors/engine/rows/access-path.ts';
import type { StoredRow } from '#actors/engine/rows/codec.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { refinePlan } from '#actors/engine/rows/intersect.ts';
import { indexKey, tableRange } from '#actors/engine/rows/keys/store.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { planQuery } from '#actors/engine/rows/plan.ts';
import { equals, isBackward, query, reversed, type Query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { decodeSlots, entryId } from '#actors/engine/rows/store.ts';
import { rowCount } from '#actors/engine/rows/count/store.ts';
import { limits } from '#config/limits.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { fc } from '#test/kit/property.ts';
import { testSeed } from '#test/kit/seed.ts';
import { rounds } from '#test/kit/rounds.ts';
import { naive } from './query-oracle.ts';
import { allRows, engineOf, FIELDS, queryOf, run, scenario } from './query-scenario.ts';
import { stepped } from './stepped.ts';

const seed = testSeed();

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
  let bytes = 0;
  for (const { key, value } of engine.turn.range(from, to)) bytes += key.length + value.length;
  expect(rowCount(engine.turn, model.table)).toEqual({ live: slots.length - deleted, deleted, bytes });
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
  const rows = stepped({ engine, model }, turned, plan, by);
  return isBackward(asked) && rows !== null ? rows.toReversed() : rows;
}

describe(`engine (seed ${seed})`, () => {
  test('a query answers what a naive evaluator answers, whatever plan it gets', () => {
    const seen = {
      key: 0,
      index: 0,
      table: 0,
      union: 0,
      mergedUnion: 0,
      intersection: 0,
      text: 0,
      sorted: 0,
      merged: 0,
      ranges: 0,
      cursors: 0,
      rows: 0,
      inexact: 0,
    };
    const property = fc.property(scenario, (given) => {
      const { engine, model } = engineOf(given);
      run(engine, model, given);
      checkIndexes(engine, model);
      const rows = allRows(engine, model);
      for (const one of given.queries) {
        const asked = queryOf(engine, model, one);
        const expected = naive(rows, asked, model);
        const found = findRows(engine.session(), model, asRequest('thing'), () => asked) as Found;
        expect(found.rows.map((row) => model.shape(row.slots))).toEqual(expected.rows);
        const filtered = asked.where.length > 0 || asked.any.length > 0;
        expect(found.total).toBe(filtered && !asked.counted ? null : expected.total);
        for (const plan of plansOf(model, asked)) {
          const stepped = step(engine, model, asked, plan, one.step);
          if (stepped === null) seen.inexact++;
          else expect(stepped.map((row) => model.shape(row.slots))).toEqual(expected.rows);
          if (plan.kind !== 'given') seen[plan.kind === 'point' ? 'key' : plan.kind]++;
          if (!plan.ordered) seen.sorted++;
          if (plan.kind === 'union' && plan.ordered) seen.mergedUnion++;
          if (plan.kind === 'index' && plan.merged) seen.merged++;
          if (plan.kind === 'index' && plan.ranges.length > 1) seen.ranges++;
        }
        if (asked.after !== null || asked.before !== null) seen.cursors++;
        seen.rows += expected.rows.length;
      }
    });
    fc.assert(property, { numRuns: rounds({ suite: 425, ci: 600 }), seed });
    // A generator that never reached an access path would prove nothing about it.
    for (const path of [
      'index',
      'table',
      'sorted',
      'key',
      'merged',
      'ranges',
      'intersection',
      'union',
      'mergedUnion',
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
