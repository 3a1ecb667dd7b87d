/** Answers that an endpoint keeps are of one caller as rules see it (docs/contract/data-behaviour.md §3.2 `X-Cache`). */
import { expect, test } from 'vitest';
import { dataService } from '#actors/data/service.ts';
import type { Jobs } from '#actors/kit/jobs.ts';
import type { EndpointDefinition } from '#config/definitions/product.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const endpoint: EndpointDefinition = {
  path: 'kept',
  verb: 'GET',
  kind: 'query',
  auth: 'user',
  rate: null,
  cacheMs: 60_000,
  headers: [],
  refusals: 'wrap',
  source: 'return 1;',
  where: 'endpoints/kept.yaml:1:1',
};

test('another actor, session or readonly impersonation of the same subject is another caller', async () => {
  let runs = 0;
  const jobs = {
    run: () => Promise.resolve({ kind: 'done', result: { kind: 'value', text: `${++runs}` } }),
  } as unknown as Jobs;
  const product = { ...productOf([entityOf('note', {})]), endpoints: [endpoint] };
  const tenant = await DataTenant.open(product, { service: dataService({ jobs }) });
  const ask = async (principal = USER) => {
    const { body, headers } = await tenant.send('GET', '/data/x/kept', undefined, { principal });
    return [body, headers['X-Cache']];
  };
  expect(await ask()).toEqual([1, 'MISS']);
  expect(await ask()).toEqual([1, 'HIT']);
  expect(await ask({ ...USER, actor: 'operator' })).toEqual([2, 'MISS']);
  expect(await ask({ ...USER, sid: 's2' })).toEqual([3, 'MISS']);
  expect(await ask({ ...USER, readonly: true })).toEqual([4, 'MISS']);
  expect(await ask({ ...USER, actor: 'operator' })).toEqual([2, 'HIT']);
});
