/** Where no job threads are: what needs a script is refused, in the contract's words (docs/contract/data-behaviour.md §3.2). */
import { expect, test } from 'vitest';
import { DataTenant, entityOf, productOf, SUPERADMIN } from '#test/kit/data-call.ts';

test('500 v2.script_engine_missing where no jobs run; a write that causes a script is refused', async () => {
  const order = entityOf('order', { status: { type: 'string', required: true, default: 'open' } });
  const endpoint = {
    path: 'e',
    verb: 'GET',
    kind: 'query',
    auth: 'superadmin',
    rate: null,
    cacheMs: 0,
    headers: [],
    refusals: 'wrap',
    source: 'return 1;',
    where: 'endpoints/e.yaml:1:1',
  } as const;
  const flow = {
    name: 'life',
    entity: 'order',
    field: 'status',
    initial: 'open',
    states: { open: { events: { close: { target: 'closed', actions: 'return;' } } }, closed: { events: {} } },
    where: 'stateflows/life.yaml:1:1',
  };
  const tenant = await DataTenant.open({ ...productOf([order]), endpoints: [endpoint], stateflows: [flow] });
  const as = { principal: SUPERADMIN };
  expect(await tenant.send('GET', '/data/x/e', undefined, as)).toMatchObject({
    status: 500,
    body: { code: 'v2.script_engine_missing' },
  });
  const made = await tenant.send('POST', '/data/rest/order', {}, as);
  const id = (made.body as { data: [{ id: string }] }).data[0].id;
  expect(await tenant.send('PATCH', `/data/rest/order/id/${id}`, { status: 'closed' }, as)).toMatchObject({
    status: 422,
    body: { code: 'v2.update_failed', error: 'the script of life failed: this node runs no scripts' },
  });
});
