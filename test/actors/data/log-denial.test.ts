/** What an operator reads at level debug of a request that rules denied: docs/decisions/data.md DA-22. */
import { expect, test } from 'vitest';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const fields = {
  id: { type: 'string' },
  owner: { type: 'string' },
  pin: { type: 'string', roles: { read: [] } },
} as const;
const open = { create: 'true', read: 'true', update: 'true' };
const product = productOf([
  entityOf('plain', fields, { access: { ...open, read: "row.owner == 'u1'", update: "row.owner == 'u1'" } }),
  entityOf('kept', fields, { access: open, rowRule: "row.owner == 'u1'" }),
  entityOf('both', fields, { access: { ...open, read: "row.owner != ''" }, rowRule: "row.owner == 'u1'" }),
  entityOf('shut', fields, { access: { create: 'true' } }),
]);

test('names the rule, and the row as the request does; no value of the row', async () => {
  const tenant = await DataTenant.open(product);
  const say = async (method: 'GET' | 'PATCH' | 'POST', path: string, body?: unknown) => {
    tenant.told.length = 0;
    const answer = await tenant.send(method, `/data/rest/${path}`, body, { principal: USER });
    const [line, ...more] = tenant.told.map((told) => told.fields as Record<string, unknown>);
    expect(more).toEqual([]);
    expect(JSON.stringify(tenant.told)).not.toContain('SECRET');
    return [answer.status, line?.['operation'], line?.['why'], line?.['row']];
  };
  for (const entity of ['plain', 'both', 'shut'])
    await tenant.send('POST', `/data/rest/${entity}`, { id: 'r1', owner: 'u2', pin: 'SECRET' }, { principal: USER });
  const root = { ...USER, type: 'internal' as const, superadmin: true };
  for (const entity of ['kept', 'both'])
    await tenant.send('POST', `/data/rest/${entity}`, { id: 'r1', owner: 'u2', pin: 'SECRET' }, { principal: root });
  expect(await say('GET', 'plain/id/r1')).toEqual([404, 'read', 'access.read', 'r1']);
  expect(await say('PATCH', 'plain/id/r1', { owner: 'x' })).toEqual([403, 'update', 'access.update', undefined]);
  expect(await say('GET', 'kept/id/r1')).toEqual([404, 'read', 'row_rule', 'r1']);
  expect(await say('PATCH', 'kept/id/r1', { owner: 'x' })).toEqual([404, 'update', 'row_rule', 'r1']);
  expect(await say('POST', 'kept', { id: 'r2', owner: 'x' })).toEqual([
    403,
    'create',
    'row_rule, for the row as it would be',
    undefined,
  ]);
  expect(await say('GET', 'both/id/r1')).toEqual([404, 'read', 'access.read or row_rule', 'r1']);
  expect(await say('GET', 'shut')).toEqual([403, 'read', 'no rule access.read', undefined]);
  expect(await say('GET', 'kept')).toEqual([200, undefined, undefined, undefined]);
  expect(await say('GET', 'kept/id/r9')).toEqual([404, undefined, undefined, undefined]);
});
