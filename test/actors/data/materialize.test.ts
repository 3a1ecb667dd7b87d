/** Materialized fields over a tenant in memory: tasks in the commit of their source, drains, the runner, what fails. */
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import type { EntityDefinition, FieldDefinition } from '#config/definitions/product.ts';
import { Work } from '#actors/host/work.ts';
import { limits } from '#config/limits.ts';
import { runnerOf } from '#actors/data/materialize/runner.ts';
import { dataService } from '#actors/data/service.ts';
import { World } from './admin/kit.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN } from '#test/kit/data-call.ts';

const from = (value: 'count' | 'sum' | 'min' | 'max' | 'cel', of: string | null): FieldDefinition['materialize'] => ({
  entity: 'line',
  ref: 'order_id',
  value,
  of,
});

const ORDER: Readonly<Record<string, FieldDefinition>> = {
  name: { type: 'string' },
  customer_id: { type: 'ref', ref: { entity: 'customer', on_delete: 'setnull' } },
  lines: { type: 'integer', default: 0, materialize: from('count', null)! },
  pieces: { type: 'integer', default: 0, materialize: from('sum', 'count')! },
  price: { type: 'decimal', default: '0', materialize: from('sum', 'price')! },
  least: { type: 'integer', materialize: from('min', 'count')! },
  most: { type: 'integer', materialize: from('max', 'count')! },
  open: { type: 'integer', default: 0, materialize: from('cel', "row.state == 'open' ? row.count * 2 : 0")! },
};
const order = entityOf('order', ORDER, { traits: ['soft_delete'], index: [['lines']] });
const line = entityOf(
  'line',
  {
    order_id: { type: 'ref', ref: { entity: 'order', on_delete: 'cascade' } },
    count: { type: 'integer' },
    price: { type: 'decimal' },
    state: { type: 'string' },
  },
  { traits: ['soft_delete'] },
);
const customer = entityOf('customer', {
  pieces: {
    type: 'integer',
    default: 0,
    materialize: { entity: 'order', ref: 'customer_id', value: 'sum', of: 'pieces' },
  },
});

async function open(entities: readonly EntityDefinition[] = [order, line, customer], runs = false) {
  const tenant = await DataTenant.open(productOf(entities), { service: dataService({ runs: () => runs }) });
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
    tenant.send(method, `/data/${path}`, body, { principal: SUPERADMIN });
  const create = async (entity: string, row: object) => (await send('POST', `rest/${entity}`, row)).body.data[0];
  const drain = async () => (await send('POST', 'admin/data/materialize/drain')).body.dispatched as number;
  const list = async (entity: string) => (await send('GET', `rest/${entity}?limit=1000&orderby=id`)).body.data;
  const tasks = async () => (await send('GET', 'admin/data/materialize/pending')).body;
  const stats = async () => (await send('GET', 'admin/data/materialize/stats')).body;
  const settle = async () => {
    do await drain();
    while ((await stats()).counts.pending > 0);
  };
  return { tenant, send, create, drain, settle, list, tasks, stats };
}

describe('a materialized field', () => {
  test('begins at 0 or null, and no caller writes it', async () => {
    const { create, send } = await open();
    const made = await create('order', { name: 'a' });
    expect(made).toMatchObject({ lines: 0, pieces: 0, price: '0', least: null, most: null, open: 0 });
    const refused = await send('POST', 'rest/order', { lines: 3 });
    expect([refused.status, refused.body.details.fields]).toEqual([422, { lines: ['is kept by the service'] }]);
    expect((await send('PATCH', `rest/order/id/${made.id}`, { lines: 3 })).status).toBe(422);
    expect((await send('PATCH', `rest/order/id/${made.id}`, { ...made, name: 'b' })).status).toBe(200);
  });

  test('follows its rows after a drain, through every kind of write and every index', async () => {
    const { create, send, drain, list } = await open();
    const { id } = await create('order', { name: 'a' });
    const other = await create('order', { name: 'b' });
    const first = await create('line', { order_id: id, count: 3, price: '1.50', state: 'open' });
    await create('line', { order_id: id, count: 5, price: '2.25', state: 'shut' });
    expect((await list('order'))[0].lines).toBe(0);
    await drain();
    expect((await list('order'))[0]).toMatchObject({ lines: 2, pieces: 8, price: '3.75', least: 3, most: 5, open: 6 });
    expect((await send('GET', 'rest/order?lines=2')).body.count).toBe(1);
    await send('PATCH', `rest/line/id/${first.id}`, { order_id: other.id });
    await drain();
    expect((await list('order')).map(({ lines, pieces }: Record<string, number>) => [lines, pieces])).toEqual([
      [1, 5],
      [1, 3],
    ]);
    await send('DELETE', `rest/line/id/${first.id}`);
    await drain();
    expect((await list('order'))[1]).toMatchObject({ lines: 0, least: null });
    await send('POST', `rest/line/id/${first.id}/restore`);
    await drain();
    expect((await list('order'))[1]).toMatchObject({ lines: 1, least: 3 });
  });

  test('has a version more when it changes, and none when it does not', async () => {
    const { create, send, drain } = await open();
    const { id } = await create('order', { name: 'a' });
    const tag = async () => (await send('GET', `rest/order/id/${id}`)).headers['ETag'];
    const before = await tag();
    await create('line', { order_id: id, count: 0, price: '0' });
    await drain();
    expect(await tag()).not.toBe(before);
    const after = await tag();
    const line = await create('line', { count: 1 });
    await send('PATCH', `rest/line/id/${line.id}`, { count: 2 });
    await drain();
    expect(await tag()).toBe(after);
  });

  test('may feed another', async () => {
    const { create, settle, list } = await open();
    const { id: customer_id } = await create('customer', {});
    for (const count of [2, 3]) {
      const { id: order_id } = await create('order', { customer_id });
      await create('line', { order_id, count });
    }
    await settle();
    expect((await list('customer'))[0].pieces).toBe(5);
  });
});

describe('tasks', () => {
  test('are one for each field of a row, shown with the keys of the contract, paged by their ids', async () => {
    const { create, tasks, stats, drain, send } = await open();
    await drain();
    const { id } = await create('order', { name: 'a' });
    for (let at = 0; at < 3; at++) await create('line', { order_id: id, count: at, price: '1', state: 'open' });
    const { count, tasks: list, ...place } = await tasks();
    expect([count, place]).toEqual([6, { tenant: 'acme:atlas:dev:main', datastore: 'default' }]);
    expect(list.find(({ target_field }: { target_field: string }) => target_field === 'lines')).toEqual({
      id: expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
      target_entity: 'order',
      target_field: 'lines',
      target_row_id: id,
      source_entity: 'line',
      source_op: 'create',
      enqueued_at: '2026-01-01T00:00:00.000Z',
      attempts: 0,
    });
    expect(await stats()).toEqual({ ...place, counts: { pending: 6, running: 0, failed: 0 } });
    const behind = (await send('GET', `admin/data/materialize/pending?after=${list[3].id}`)).body.tasks;
    expect(behind).toEqual(list.slice(4));
    expect(await drain()).toBe(6);
    expect(await tasks()).toMatchObject({ count: 0, tasks: [] });
    for (let at = 0; at < 30; at++) await create('line', { order_id: (await create('order', {})).id });
    expect((await tasks()).count).toBe(limits.materialize.pendingPageRows);
  });

  test('are in the commit of their source: a refused batch leaves none', async () => {
    const { create, tasks, send, settle } = await open();
    const { id } = await create('order', { name: 'a' });
    await settle();
    const operations = [
      { action: 'create', data: { line: { order_id: id } } },
      { action: 'create', data: { line: { order_id: id, count: 'x' } } },
    ];
    expect((await send('POST', 'rest', { operations })).status).toBe(422);
    expect((await tasks()).count).toBe(0);
  });

  test('of rows and fields that are gone are dropped', async () => {
    const { create, send, drain, stats } = await open();
    const { id } = await create('order', { name: 'a' });
    await create('line', { order_id: id });
    await send('DELETE', `rest/order/id/${id}?purge=true`);
    await drain();
    expect((await stats()).counts).toEqual({ pending: 0, running: 0, failed: 0 });
  });

  test('that fail are counted apart, tried again on request or when a source changes, and given up by the runner', async () => {
    const bad = entityOf('order', {
      x: { type: 'integer', default: 0, materialize: from('cel', 'row.count / row.rest')! },
    });
    const rest = entityOf('line', { ...line.fields, rest: { type: 'integer' } });
    const { create, drain, stats, tasks, send, list, tenant } = await open([bad, rest]);
    await drain();
    const { id } = await create('order', {});
    const made = await create('line', { order_id: id, count: 4, rest: null });
    expect(await drain()).toBe(1);
    expect((await stats()).counts).toEqual({ pending: 0, running: 0, failed: 1 });
    for (let tries = 0; tries < 3; tries++) await drain();
    expect((await tasks()).tasks[0].attempts).toBe(4);
    const runner = runnerOf(tenant.activation);
    expect(await runner.drain(new Work(tenant.activation), 'hopeful')).toBe(0);
    await send('PATCH', `rest/line/id/${made.id}`, { rest: 2 });
    expect((await stats()).counts).toEqual({ pending: 1, running: 0, failed: 0 });
    await drain();
    expect((await list('order'))[0].x).toBe(2);
  });
});

describe('the runner', () => {
  const idle = async (tenant: DataTenant) => {
    const runner = runnerOf(tenant.activation);
    do await new Promise((resolve) => setImmediate(resolve));
    while (runner.state !== 'idle');
  };

  test('drains after a commit by itself, and says so', async () => {
    const { create, list, stats, tenant } = await open(undefined, true);
    await idle(tenant);
    const { id } = await create('order', { name: 'a' });
    await create('line', { order_id: id, count: 1 });
    expect((await stats()).runner.state).toBe('waiting');
    await idle(tenant);
    expect((await list('order'))[0]).toMatchObject({ lines: 1, pieces: 1 });
    expect((await stats()).runner).toEqual({
      state: 'idle',
      last_drain_at: '2026-01-01T00:00:00.000Z',
      drained: expect.any(Number),
    });
  });

  test('fills a field that is new, in bounded turns, and one whose rule has changed', async () => {
    const { materialize: _, ...plain } = ORDER['lines']!;
    const before = await open([entityOf('order', { name: { type: 'string' } }), line]);
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) ids.push((await before.create('order', {})).id);
    for (const order_id of [ids[0], ids[0], ids[2]]) await before.create('line', { order_id, count: 7 });
    const reopen = async (field: FieldDefinition) => {
      const product = productOf([entityOf('order', { name: { type: 'string' }, n: field }), line]);
      const tenant = await DataTenant.open(product, { store: before.tenant.store });
      await idle(tenant);
      return (await tenant.send('GET', '/data/rest/order?orderby=id')).body.data.map(({ n }: { n: number }) => n);
    };
    expect(await reopen({ ...plain, materialize: from('count', null)! })).toEqual([2, 0, 1]);
    expect(await reopen({ ...plain, materialize: from('sum', 'count')! })).toEqual([14, 0, 7]);
  });

  test.for(['waiting', 'draining'])('leaves when the host ends while it is %s; the next one goes on', async (state) => {
    const { create, tenant } = await open(undefined, true);
    await idle(tenant);
    const { id } = await create('order', { name: 'a' });
    await create('line', { order_id: id, count: 1 });
    const runner = runnerOf(tenant.activation);
    while (runner.state !== state) await new Promise((resolve) => setImmediate(resolve));
    await tenant.activation.exclusive.close();
    expect(runner.state).toBe('idle');
    runner.kick();
    expect(runner.state).toBe('idle');
    const again = await DataTenant.open(tenant.activation.product, { store: tenant.store, provision: false });
    await idle(again);
    expect((await again.send('GET', `/data/rest/order/id/${id}`)).body.data[0]).toMatchObject({ lines: 1 });
  });

  test('goes on after a crash with what was committed', async () => {
    const { create, tenant } = await open();
    const { id } = await create('order', { name: 'a' });
    await create('line', { order_id: id, count: 1 });
    const again = await DataTenant.open(tenant.activation.product, { store: tenant.store, provision: false });
    await idle(again);
    expect((await again.send('GET', `/data/rest/order/id/${id}`)).body.data[0]).toMatchObject({ lines: 1 });
  });
});

test('a value over more rows than a slice is computed over a snapshot; a write meanwhile brings another pass', async () => {
  const { create, send, tenant, stats, drain, list, settle } = await open();
  await drain();
  const { id } = await create('order', { name: 'big' });
  const rows = Array.from({ length: 3 * limits.data.sliceScanRowsMax }, () => ({ order_id: id, count: 1 }));
  await send('POST', 'rest', { operations: [{ action: 'create', data: { line: rows } }] });
  const draining = drain();
  const runner = runnerOf(tenant.activation);
  while (runner.running === 0) await new Promise((resolve) => setImmediate(resolve));
  expect((await stats()).counts).toEqual({ pending: 5, running: 1, failed: 0 });
  await create('line', { order_id: id, count: 10 });
  await draining;
  await settle();
  const [row] = await list('order');
  expect(row).toMatchObject({ lines: rows.length + 1, pieces: rows.length + 10, most: 10 });
});

test('a value that a plan fills or converts is computed anew', async () => {
  const shop = (n: FieldDefinition) =>
    productOf([
      entityOf('order', { pieces: { type: 'integer', default: 0, materialize: from('sum', 'n')! } }),
      entityOf('line', { order_id: { type: 'ref', ref: { entity: 'order' } }, n }),
    ]);
  const world = await World.open(shop({ type: 'integer' }), undefined, { runs: false });
  const order_id = await world.make({}, 'order');
  for (let i = 0; i < 3; i++) await world.make({ order_id }, 'line');
  await world.send('POST', 'admin/data/materialize/drain');
  const pieces = async () => {
    await world.send('POST', 'admin/data/materialize/drain');
    return (await world.rows('', 'order'))[0]!['pieces'];
  };
  expect(await pieces()).toBe(0);
  await world.become(shop({ type: 'integer', default: 5, nullable: false }));
  const { tasks } = (await world.send('GET', 'admin/data/materialize/pending')).body;
  expect(tasks).toMatchObject([{ target_row_id: order_id, source_op: 'update' }]);
  expect(Date.parse(tasks[0].enqueued_at)).toBe(world.tenant.clock.now());
  expect(await pieces()).toBe(15);
});

test('a tenant that sleeps over tasks is woken when its host looks, another is not', async () => {
  const woken: number[] = [];
  const service = dataService({ runs: () => false, wakeTenant: (tenantNo) => woken.push(tenantNo) > 0 });
  const tenant = await DataTenant.open(productOf([order, line, customer]), { service });
  service.resume!(tenant.store, 1);
  expect(woken).toEqual([]);
  const made = await tenant.send('POST', '/data/rest/order', {}, { principal: SUPERADMIN });
  await tenant.send('POST', '/data/rest/line', { order_id: made.body.data[0].id }, { principal: SUPERADMIN });
  service.resume!(tenant.store, 7);
  expect(woken).toEqual([7]);
});

test('whatever is written and whenever it is drained, a field equals a count anew', { timeout: 60_000 }, async () => {
  const change = fc.oneof(
    fc.record({ kind: fc.constant('create' as const), order: fc.nat(2), count: fc.integer({ min: -9, max: 9 }) }),
    fc.record({ kind: fc.constant('move' as const), line: fc.nat(9), order: fc.nat(3) }),
    fc.record({ kind: fc.constant('change' as const), line: fc.nat(9), count: fc.option(fc.nat(99)) }),
    fc.record({ kind: fc.constant('delete' as const), line: fc.nat(9), purge: fc.boolean() }),
    fc.record({ kind: fc.constant('restore' as const), line: fc.nat(9) }),
    fc.record({ kind: fc.constant('order' as const), order: fc.nat(2), purge: fc.boolean() }),
    fc.record({ kind: fc.constant('drain' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
      const { create, send, drain, list, settle } = await open();
      const orders: string[] = [];
      for (let at = 0; at < 3; at++) orders.push((await create('order', {})).id);
      const lines: string[] = [];
      for (const one of changes) {
        const id = 'line' in one ? lines[one.line % Math.max(1, lines.length)] : '';
        if (one.kind === 'create') {
          const body = { order_id: orders[one.order], count: one.count, price: `${one.count}.5`, state: 'open' };
          const made = await send('POST', 'rest/line', body);
          if (made.status === 201) lines.push(made.body.data[0].id);
        } else if (one.kind === 'drain') await drain();
        else if (one.kind === 'order') await send('DELETE', `rest/order/id/${orders[one.order]}?purge=${one.purge}`);
        else if (id === undefined) continue;
        else if (one.kind === 'move')
          await send('PATCH', `rest/line/id/${id}`, { order_id: orders[one.order] ?? null });
        else if (one.kind === 'change') await send('PATCH', `rest/line/id/${id}`, { count: one.count });
        else if (one.kind === 'delete') await send('DELETE', `rest/line/id/${id}?purge=${one.purge}`);
        else await send('POST', `rest/line/id/${id}/restore`);
      }
      await settle();
      const live = await list('line');
      for (const row of (await send('GET', 'rest/order?deleted=true')).body.data) {
        const own = live.filter(({ order_id }: { order_id: string }) => order_id === row.id);
        const counts: number[] = own.flatMap(({ count }: { count: number | null }) => (count === null ? [] : [count]));
        const sum = counts.reduce((all, count) => all + count, 0);
        expect(row).toMatchObject({
          lines: own.length,
          pieces: sum,
          least: counts.length === 0 ? null : Math.min(...counts),
          most: counts.length === 0 ? null : Math.max(...counts),
        });
      }
    }),
    { numRuns: 60 },
  );
});
