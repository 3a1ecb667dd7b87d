/** A slice ends by time, rows or bytes, whichever is first, and leaves its commit as much time as it took to look and stage. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { provisionSchema } from '#actors/engine/schema/apply.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { Work } from '#actors/host/work.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { query } from '#actors/engine/rows/query.ts';
import { walkRows } from '#actors/engine/rows/walk.ts';
import { fill } from '#actors/data/materialize/fill.ts';
import { servedModels } from '#actors/data/part.ts';
import { sessionAs } from '#actors/data/rest/session.ts';
import { dataService } from '#actors/data/service.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN } from '#test/kit/data-call.ts';
import { PacedStore, type Costs, type SeenSlice } from '#test/kit/paced-store.ts';
import { expectConsistent, World } from './kit.ts';

const DAY = 24 * 3_600_000;
const { sliceMsMax, sliceRowsMax, sliceBytesMax } = limits.plans;
const text = { type: 'text' } as const;

const most = (slices: readonly SeenSlice[], of: keyof SeenSlice): number =>
  Math.max(...slices.map((slice) => slice[of]));

describe('a budget', () => {
  const bound = { sliceReadMsMax: 1, sliceRowsMax: 3, sliceBytesMax: 100 };

  test('is spent by rows, by bytes or by time, in fractions of a millisecond', () => {
    const clock = new SimulatedClock();
    const byRows = new Budget(clock, bound);
    byRows.count();
    byRows.count();
    expect(byRows.look()).toBe(false);
    byRows.count();
    expect(byRows.look()).toBe(true);
    const byBytes = new Budget(clock, bound);
    byBytes.count(1, 99);
    expect(byBytes.look()).toBe(false);
    byBytes.count(1, 1);
    expect(byBytes.look()).toBe(true);
    clock.advance(0.75);
    const byTime = new Budget(clock, bound);
    clock.advance(0.75);
    expect(byTime.look()).toBe(false); // where a clock of whole milliseconds says that one has gone by
    clock.advance(0.25);
    expect(byTime.look()).toBe(true);
  });
});

/** The slices of an index build over so many rows. */
async function build(rows: number, value: string, costs: Costs): Promise<readonly SeenSlice[]> {
  const store = new PacedStore();
  const before = productOf([entityOf('thing', { a: text, n: { type: 'integer' } })]);
  await provisionSchema(store, before);
  const world = await World.open(before, store);
  for (let n = 0; n < rows; n++) await world.make({ a: value, n });
  world.product = productOf([entityOf('thing', { a: text, n: { type: 'integer', index: true } })]);
  const { plan_id: planId } = await world.plan();
  store.watch(world.tenant.activation, world.tenant.clock, costs);
  const { status, body } = await world.apply(planId);
  expect([status, body.status]).toEqual([200, 'applied']);
  expectConsistent(world);
  return store.slices.filter(({ read }) => read > 0);
}

describe('an index build', () => {
  test('takes so many rows where they are cheap', async () => {
    const slices = await build(2 * sliceRowsMax + 20, 'x', { readMs: 0, stageMs: 0, commitMs: 0 });
    expect(slices.map(({ read }) => read)).toEqual([sliceRowsMax, sliceRowsMax, 20]);
  });

  test('takes fewer where each takes long: reads, writes and the commit are within the bound together', async () => {
    const slices = await build(120, 'x', { readMs: 0.03, stageMs: 0.02, commitMs: 0.02 });
    expect(slices.reduce((sum, { read }) => sum + read, 0)).toBe(120);
    expect(most(slices, 'ms')).toBeLessThanOrEqual(sliceMsMax);
    expect(most(slices, 'read')).toBeGreaterThan(10);
  });

  test('takes fewer where they are large', async () => {
    const bytes = 50 * 1024;
    const slices = await build(8, 'x'.repeat(bytes), { readMs: 0, stageMs: 0, commitMs: 0 });
    expect(most(slices, 'read')).toBe(Math.ceil(sliceBytesMax / bytes));
    expect(most(slices, 'bytes')).toBeLessThan(sliceBytesMax + 2 * bytes);
  });

  test('takes one where that alone is more than a slice, and comes to its end', async () => {
    const slices = await build(5, 'x', { readMs: 3, stageMs: 0, commitMs: 0 });
    expect(slices.map(({ read }) => read)).toEqual([1, 1, 1, 1, 1]);
  });
});

/** The slices of a run of retention over rows that are to lose a value, or to go. */
async function retain(rows: number, phase: 'anonymize' | 'purge', costs: Costs, body: object = {}) {
  const store = new PacedStore();
  const retention = { activeMs: DAY, archiveMs: null, archiveTo: null, ageField: 'created_at', handoff: null };
  const fields = { name: { type: 'string', compliance: 'pii' } } as const;
  const person = entityOf('person', fields, { traits: ['timestamps'], retention });
  const tenant = await DataTenant.open(productOf([person]), { store });
  const send = (method: 'GET' | 'POST', path: string, sent?: unknown) =>
    tenant.send(method, `/data/${path}`, sent, { principal: SUPERADMIN });
  for (let at = 0; at < rows; at++) await send('POST', 'rest/person', { name: `n${at}` });
  tenant.clock.advance(2 * DAY);
  store.watch(tenant.activation, tenant.clock, costs);
  const run = await send('POST', 'admin/data/retention/runs', { phases: [phase], ...body });
  return { slices: store.slices, total: run.body.total_applied as number };
}

describe('a walk', () => {
  test('gives batches that end by bytes, one row at least', async () => {
    const tenant = await DataTenant.open(productOf([entityOf('thing', { a: text })]));
    for (const kilobytes of [1, 1, 30, 1, 30, 30])
      await tenant.send('POST', '/data/rest/thing', { a: 'x'.repeat(kilobytes * 1024) });
    const work = new Work(tenant.activation);
    const models = servedModels(tenant.activation);
    const request = { method: 'POST', operation: 'read', entity: 'thing', id: null, data: null };
    const bound = { sliceReadMsMax: 1, sliceRowsMax: 2, sliceBytesMax: 30 * 1024 };
    const session = sessionAs(work, INTERNAL, models);
    const batches = await walkRows(session, models.get('thing')!, request, query('thing', {}), bound);
    if (isFailure(batches)) throw new Error(batches.message);
    const lengths: number[] = [];
    for await (const rows of batches) lengths.push(rows.length);
    expect(lengths).toEqual([2, 1, 2, 1]);
  });
});

test('the tasks of a new materialized field are entered in slices that end by time', async () => {
  const store = new PacedStore();
  const line = entityOf('line', { thing_id: { type: 'ref', ref: { entity: 'thing', on_delete: 'cascade' } } });
  const lines = { entity: 'line', ref: 'thing_id', value: 'count', of: null } as const;
  await provisionSchema(store, productOf([entityOf('thing', { a: text }), line]));
  const after = productOf([
    entityOf('thing', { a: text, lines: { type: 'integer', default: 0, materialize: lines } }),
    line,
  ]);
  const before = await DataTenant.open(productOf([entityOf('thing', { a: text }), line]), { store, provision: false });
  for (let at = 0; at < 40; at++) await before.send('POST', '/data/rest/thing', { a: 'x' }, { principal: SUPERADMIN });
  const tenant = await DataTenant.open(after, { store, service: dataService({ runs: () => false }) });
  store.watch(tenant.activation, tenant.clock, { readMs: 0.1, stageMs: 0, commitMs: 0 });
  const begun = store.commits.length;
  await fill(new Work(tenant.activation));
  const staged = store.commits.slice(begun).map((one) => one.staged);
  expect(staged.length).toBeGreaterThan(3);
  expect(Math.max(...staged)).toBeLessThan(40);
});

describe('retention', () => {
  const costs = { readMs: 0.02, stageMs: 0.01, commitMs: 0.01 };

  test.each(['anonymize', 'purge'] as const)('%s stays within the bound, the commit included', async (phase) => {
    const { slices, total } = await retain(150, phase, costs);
    expect(total).toBe(150);
    expect(slices.length).toBeGreaterThan(2);
    expect(most(slices, 'ms')).toBeLessThanOrEqual(limits.retention.sliceMsMax);
  });

  test('takes at most a batch of rows where they are cheap', async () => {
    const nothing = { readMs: 0, stageMs: 0, commitMs: 0 };
    const some = await retain(60, 'anonymize', nothing, { batch_size: 25 });
    const one = await retain(1, 'anonymize', nothing);
    const entries = most(one.slices, 'committed'); // those of a row, and of the lock
    expect(some.total).toBe(60);
    expect(most(some.slices, 'committed')).toBeLessThanOrEqual(25 * entries);
    expect(some.slices.filter(({ committed }) => committed > 0).length).toBe(3);
  });
});
