/** Filters over an enum: a value that it does not have is refused, wherever a caller can write one. */
import { beforeAll, expect, test } from 'vitest';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';

const STATUS = { type: 'enum', enum: ['open', 'solved'] } as const;
let tenant: DataTenant;
const get = (query: string) => tenant.send('GET', `/data/rest/ticket?${query}`);
const search = (filter: object) => tenant.send('POST', '/data/rest/ticket/search', { filter });

beforeAll(async () => {
  tenant = await DataTenant.open(productOf([entityOf('ticket', { status: STATUS, title: { type: 'string' } })]));
  for (const status of ['open', 'solved', null]) await tenant.send('POST', '/data/rest/ticket', { status, title: 'a' });
});

test.each([
  'status=solvd',
  'status[ne]=solvd',
  'status[in]=open,solvd',
  'status[nin]=["solvd"]',
  'filter=status=solvd',
])('%s is 422, with the values that there are', async (query) => {
  const { status, body } = await get(query);
  expect([status, body.code]).toEqual([422, 'v2.query_failed']);
  expect(body.details.fields).toEqual({ status: ['must be one of open, solved'] });
});

test('so it is in the body of a search', async () => {
  for (const filter of [{ status: 'solvd' }, { status: { in: ['open', 'solvd'] } }]) {
    const { status, body } = await search(filter);
    expect([status, body.code]).toEqual([422, 'v2.search_query_failed']);
  }
});

test.each([
  ['status=solved', 1],
  ['status[ne]=solved', 1],
  ['status[in]=open,solved', 2],
  ['status[nin]=open', 1],
  ['status[null]=true', 1],
  ['status[like]=solv%25', 1],
  ['status[gt]=p', 1],
  ['title=nothing of the kind', 0],
])('%s finds %d', async (query, count) => {
  const { status, body } = await get(query);
  expect([status, body.data?.length]).toEqual([200, count]);
});
