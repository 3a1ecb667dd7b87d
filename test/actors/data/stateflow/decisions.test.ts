/** docs/decisions/data.md DA-35 to DA-38: what the contract leaves open of stateflows. */
import { expect, test } from 'vitest';
import { withInitialStates } from '#config/definitions/stateflow.ts';
import type { ProductDefinition, StateEventDefinition, StateflowDefinition } from '#config/definitions/product.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';

const cel = (rule: string, where = 'stateflows/flow.yaml:9:9') => ({ language: 'cel', rule, where }) as const;

function productWith(
  events: Readonly<Record<string, StateEventDefinition>>,
  options: Parameters<typeof entityOf>[2] = {},
): ProductDefinition {
  const states = { a: { events }, b: { events: {} } };
  const flow: StateflowDefinition = { name: 'flow', entity: 'item', field: 'state', initial: 'a', states, where: 'x' };
  const fields = { state: { type: 'string' }, size: { type: 'integer', unique: true } } as const;
  return { ...productOf(withInitialStates([entityOf('item', fields, options)], [flow])), stateflows: [flow] };
}

const make = async (tenant: DataTenant, fields: object): Promise<string> =>
  (await tenant.send('POST', '/data/rest/item', fields)).body.data[0].id;
const move = (tenant: DataTenant, id: string, fields: object) =>
  tenant.send('PATCH', `/data/rest/item/id/${id}`, fields);

test('a row whose value is no state may stay, and enter at any declared state', async () => {
  const fields = { state: { type: 'string' }, size: { type: 'integer', unique: true } } as const;
  const before = await DataTenant.open(productOf([entityOf('item', fields)]));
  const [odd, none] = [await make(before, { state: 'odd' }), await make(before, {})];
  const tenant = await DataTenant.open(productWith({ go: { target: 'b' } }), { store: before.store });
  const shown = await tenant.send('GET', `/data/rest/item/id/${odd}?states=true`);
  expect(shown.body.states).toEqual([{ flow: { field: 'state', current: 'odd', events: [] } }]);
  expect((await move(tenant, odd, { size: 1 })).status).toBe(200);
  expect((await move(tenant, odd, { state: 'c' })).body.details.allowed).toEqual(['a', 'b']);
  expect((await move(tenant, none, { state: 'b' })).status).toBe(200);
  expect((await move(tenant, none, { state: 'a' })).body.details).toMatchObject({ current: 'b', allowed: [] });
});

test('of several events with one target one that passes is enough; a failing guard decides when none does', async () => {
  const broken = { target: 'b', guard: cel('row.size.nothing > 1') };
  const closed = { target: 'b', guard: cel('false') };
  for (const [events, status] of [
    [{ broken, closed, open: { target: 'b' } }, 200],
    [{ closed, broken }, 500],
    [{ broken, closed }, 500],
    [{ closed }, 422],
  ] as const) {
    const tenant = await DataTenant.open(productWith(events));
    const answer = await move(tenant, await make(tenant, { size: 3 }), { state: 'b' });
    expect([answer.status, answer.body.code]).toEqual([status, status === 200 ? undefined : 'v2.update_failed']);
  }
});

test('a guard that does not compile is logged with its place, and stops no other write', async () => {
  const tenant = await DataTenant.open(productWith({ go: { target: 'b', guard: cel('row.size >') } }));
  expect(tenant.warnings).toEqual(['a guard does not compile']);
  const id = await make(tenant, {});
  expect((await move(tenant, id, { size: 1 })).status).toBe(200);
  const refused = await move(tenant, id, { state: 'b' });
  expect(refused.body.error).toMatch(/^the guard of flow\.go failed: stateflows\/flow\.yaml:9:9: /);
  expect(refused.body.details).toEqual({ stateflow: 'flow', field: 'state', event: 'go' });
});

test('a caller that may not make the step does not learn what other rows hold, and one that may not write learns of no machine', async () => {
  const tenant = await DataTenant.open(productWith({}, { access: { create: 'true', update: 'row.size != 7' } }));
  await make(tenant, { size: 1 });
  const id = await make(tenant, { size: 2 });
  expect((await move(tenant, id, { size: 1, state: 'b' })).body.details).toMatchObject({ allowed: [] });
  expect((await move(tenant, id, { size: 1 })).body.details.fields).toEqual({ size: ['is taken by another row'] });
  const shut = await make(tenant, { size: 7 });
  expect(await move(tenant, shut, { state: 'b' })).toMatchObject({ status: 403, body: { code: 'v2.update_failed' } });
});

test('a guard sees the principal and the request', async () => {
  const guard = cel('principal.subject == "u1" && request.data.state == "b" && request.operation == "update"');
  const tenant = await DataTenant.open(productWith({ go: { target: 'b', guard } }));
  const id = await make(tenant, {});
  const shown = await tenant.send('GET', `/data/rest/item/id/${id}?states=true`);
  expect(shown.body.states[0].flow.events).toEqual(['go']);
  expect((await move(tenant, id, { state: 'b' })).status).toBe(200);
});

test('an answer does not grow with the state that was sent', async () => {
  const tenant = await DataTenant.open(productWith({}));
  const id = await make(tenant, {});
  for (const { status, body } of [
    await move(tenant, id, { state: 'x'.repeat(100_000) }),
    await tenant.send('POST', '/data/rest/item', { state: 'x'.repeat(100_000) }),
  ]) {
    expect(status).toBe(422);
    expect(JSON.stringify(body).length).toBeLessThan(2000);
  }
});
