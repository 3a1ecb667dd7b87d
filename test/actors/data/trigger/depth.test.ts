/** How deep the events are that work of a trigger fires, also by values that are computed later. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { servedModels } from '#actors/data/part.ts';
import { sessionAs } from '#actors/data/rest/session.ts';
import { dataService } from '#actors/data/service.ts';
import { listEvents, listTriggers } from '#actors/data/trigger/events.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import { triggerFor } from '#test/kit/trigger-definition.ts';

const lines = { entity: 'line', ref: 'order_id', value: 'count', of: null } as const;
const order = entityOf('order', { lines: { type: 'integer', default: 0, materialize: lines } });
const line = entityOf('line', { order_id: { type: 'ref', ref: { entity: 'order' } } });
const product = {
  ...productOf([order, line]),
  triggers: [triggerFor('counted', { events: ['updated'] }), triggerFor('added', { entity: 'line' })],
};

/** A line of a new order, written by work that so many triggers led to, and the order's count computed after it. */
async function written(depth: number) {
  const tenant = await DataTenant.open(product, { service: dataService({ runs: () => false }) });
  const made = await tenant.send('POST', '/data/rest/order', {}, { principal: USER });
  const row = { order_id: made.body.data[0].id as string };
  const work = new Work(tenant.activation);
  work.triggerDepth = depth;
  const models = servedModels(tenant.activation);
  const request = { method: 'POST', operation: 'create', entity: 'line', id: null, data: row };
  const created = createRow(sessionAs(work, USER, models), models.get('line')!, row, request);
  expect(isFailure(created)).toBe(false);
  work.commit();
  const drained = await tenant.send('POST', '/data/admin/data/materialize/drain', undefined, { principal: SUPERADMIN });
  expect(drained.body.dispatched).toBe(1);
  const look = new Work(tenant.activation);
  const depths = Object.fromEntries(listEvents(look, null, 10).map((event) => [event.trigger, event.depth]));
  const dropped = Object.fromEntries(listTriggers(look).map((trigger) => [trigger.name, trigger.dropped]));
  look.abort();
  return { depths, dropped };
}

test.each([0, 1, 3])('what work at depth %i fires is one deeper, what is computed from it as well', async (depth) => {
  expect(await written(depth)).toEqual({
    depths: { added: depth + 1, counted: depth + 1 },
    dropped: { added: 0, counted: 0 },
  });
});

test('beyond the limit nothing is fired, and it is counted', async () => {
  expect(await written(limits.triggers.depthMax)).toEqual({ depths: {}, dropped: { added: 1, counted: 1 } });
});
