/** Chunks of rows brought in by the node itself, and the schema that it provisions. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { asks } from '#actors/data/asks.ts';
import { importRows } from '#actors/data/bulk/import-rows.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { PacedStore } from '#test/kit/paced-store.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';

const product = productOf([
  entityOf('city', {
    id: { type: 'string' },
    name: { type: 'string', required: true, unique: true },
    size: { type: 'integer', min: 0 },
  }),
]);
const city = (no: number) => ({ id: `c${no}`, name: `city ${no}`, size: no });

async function tenantOf(): Promise<{ tenant: DataTenant; work: Work }> {
  const tenant = await DataTenant.open(product);
  return { tenant, work: new Work(tenant.activation) };
}

test('a chunk of several slices is all there', async () => {
  const { tenant, work } = await tenantOf();
  const rows = Array.from({ length: limits.data.importSliceRows * 2 + 1 }, (_, no) => city(no));
  expect(await importRows(work, { entity: 'city', rows, present: 'fail' })).toEqual({
    imported: rows.length,
    skipped: 0,
    errors: [],
  });
  const list = await tenant.send('GET', '/data/rest/city?limit=1');
  expect(list.body.total).toBe(rows.length);
});

test('a chunk whose rows take long is staged in slices that end by time, and made ready before its commit', async () => {
  const store = new PacedStore();
  const tenant = await DataTenant.open(product, { store });
  store.watch(tenant.activation, tenant.clock, { readMs: 0, stageMs: limits.data.sliceMsMax / 4, commitMs: 0 });
  const rows = Array.from({ length: 20 }, (_, no) => city(no));
  let turns = 0;
  let ended = false;
  const tick = (): void => {
    turns++;
    if (!ended) setImmediate(tick);
  };
  setImmediate(tick);
  const { imported } = await importRows(new Work(tenant.activation), { entity: 'city', rows, present: 'fail' });
  ended = true;
  expect(imported).toBe(rows.length);
  expect(turns).toBeGreaterThan(rows.length / 4);
  expect(store.commits.find(({ staged }) => staged >= rows.length)).toMatchObject({ prepared: true });
});

test('a chunk again: skipped, or reported row by row; nothing is there twice', async () => {
  const { tenant, work } = await tenantOf();
  const rows = [city(1), city(2)];
  await importRows(work, { entity: 'city', rows, present: 'fail' });
  expect(await importRows(work, { entity: 'city', rows: [...rows, city(3)], present: 'skip' })).toEqual({
    imported: 1,
    skipped: 2,
    errors: [],
  });
  const again = await importRows(work, { entity: 'city', rows, present: 'fail' });
  expect([again.imported, again.errors.length]).toEqual([0, 2]);
  expect(again.errors[1]).toMatch(/^row 2: /);
  expect((await tenant.send('GET', '/data/rest/city')).body.total).toBe(3);
});

test('bad rows are named by their place, the good ones stay', async () => {
  const { tenant, work } = await tenantOf();
  const rows = [city(1), { id: 'x' }, { ...city(2), size: -1 }, city(3)];
  const report = await importRows(work, { entity: 'city', rows, present: 'skip' });
  expect([report.imported, report.errors.map((error) => error.slice(0, 6))]).toEqual([2, ['row 2:', 'row 3:']]);
  expect((await tenant.send('GET', '/data/rest/city')).body.total).toBe(2);
});

test('an entity that is not there is a fault of the caller', async () => {
  const { work } = await tenantOf();
  await expect(importRows(work, { entity: 'nothing', rows: [], present: 'skip' })).rejects.toThrow('no entity nothing');
});

test('provisioning tells its steps once, and refuses what needs a plan', async () => {
  const store = new MemoryStore();
  const provision = async (wanted: typeof product): Promise<string[]> => {
    const tenant = await DataTenant.open(wanted, { store, provision: false });
    return asks['schema.provision'](new Work(tenant.activation));
  };
  expect((await provision(product)).length).toBeGreaterThan(0);
  expect(await provision(product)).toEqual([]);
  const retyped = productOf([
    entityOf('city', { id: { type: 'string' }, name: { type: 'integer', required: true, unique: true } }),
  ]);
  await expect(provision(retyped)).rejects.toThrow('need a plan');
  // An entity that left the files stays stored, and stops nothing.
  const town = productOf([...Object.values(product.entities), entityOf('town', {})]);
  expect((await provision(town)).length).toBeGreaterThan(0);
  expect(await provision(product)).toEqual([]);
});
