/** Rows and bytes of a tenant: kept by its writes, known when it wakes, and counted once in a store of before bytes were counted. Contract: docs/contract/tenants.md §2. */
import { expect, test } from 'vitest';
import { countBytes } from '#actors/data/count-bytes.ts';
import { countRecord, countSome, rowCount, totalCount, uncounted } from '#actors/engine/rows/count/store.ts';
import { TenantUse } from '#actors/host/tenant-use.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import { loadSchema } from '#actors/engine/schema/store.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';

const PRODUCT = productOf([
  entityOf('thing', { name: { type: 'string' } }, { traits: ['soft_delete'] }),
  entityOf('other', { name: { type: 'string' } }),
]);

async function world() {
  const tenant = await DataTenant.open(PRODUCT);
  const create = async (entity: string, name: string): Promise<string> =>
    (await tenant.send('POST', `/data/rest/${entity}`, { name })).body.data[0].id as string;
  const total = () => totalCount(tenant.store.begin());
  const table = loadSchema(tenant.store.begin()).entities.find(({ name }) => name === 'thing')!.table;
  /** As a version left it that counted no bytes. */
  const forget = (): void => {
    const turn = tenant.store.begin();
    const { live, deleted } = rowCount(turn, table);
    turn.put(...countRecord(table, { live, deleted }));
    turn.commit();
  };
  return { tenant, create, total, table, forget };
}

test('writes keep the sum: what is deleted for good gives its bytes back, a soft delete keeps its row', async () => {
  const { tenant, create, total } = await world();
  const empty = total();
  const id = await create('thing', 'a');
  const gone = await create('other', 'x'.repeat(500));
  const { live, bytes } = total();
  expect([live, bytes > 500, empty.bytes]).toEqual([2, true, 0]);
  await tenant.send('PATCH', `/data/rest/thing/id/${id}`, { name: 'a'.repeat(101) });
  expect(total().bytes - bytes).toBeGreaterThanOrEqual(100);
  await tenant.send('DELETE', `/data/rest/other/id/${gone}`);
  await tenant.send('DELETE', `/data/rest/thing/id/${id}`);
  expect(total()).toMatchObject({ live: 0, deleted: 1 });
  expect(total().bytes).toBeLessThan(500);
});

test('a store of before is counted when the tenant wakes, and comes to what its writes had come to', async () => {
  const { tenant, create, total, forget } = await world();
  for (let i = 0; i < 50; i++) await create('thing', `n${i}`);
  const before = total();
  forget();
  expect(total().bytes).toBe(0);
  const use = new TenantUse();
  await countBytes({ ...tenant.activation, use });
  expect(total()).toEqual(before);
  expect(uncounted(tenant.store.begin())).toEqual([]);
  expect(use.take(1)).toMatchObject({ kept: { rows: 50, bytes: before.bytes } });
});

test('writes between two slices of the count are counted once, before and behind the place where it is', async () => {
  const { tenant, create, total, table, forget } = await world();
  const ids: string[] = [];
  for (let i = 0; i < 20; i++) ids.push(await create('thing', `n${i}`));
  forget();
  const step = (): boolean => {
    const turn = tenant.store.begin();
    const isOver = countSome(turn, table, new Budget(tenant.clock, { sliceReadMsMax: 1000, sliceRowsMax: 3 }));
    turn.commit();
    return isOver;
  };
  for (let i = 0; !step(); i++) {
    const [first, last] = [ids[0]!, ids[ids.length - 1]!];
    for (const id of [first, last])
      await tenant.send('PATCH', `/data/rest/thing/id/${id}`, { name: 'x'.repeat(10 * i + 1) });
    ids.push(await create('thing', 'new'));
  }
  const counted = total();
  forget();
  while (!step());
  expect(counted).toEqual(total());
  expect(counted.live).toBe(ids.length);
});

test('a count that cannot be read costs a log line, and the tenant wakes', async () => {
  const { tenant, table } = await world();
  const turn = tenant.store.begin();
  const [key] = countRecord(table, { live: 0, deleted: 0 });
  turn.put(key, Buffer.from('damaged'));
  turn.commit();
  await countBytes(tenant.activation);
  expect(tenant.warnings).toEqual([expect.stringContaining('rows and bytes of a tenant are not')]);
});
