/** What the pages of products ask the control plane. Nothing is asked again by itself: each question is on record. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { recordsOf } from '../audit/queries.ts';
import { CONTROL_PLANE, skep } from '../session/session.ts';
import { logOf } from '../tenants/paths.ts';
import type { Tenant, TenantsPage } from '../tenants/shapes.ts';
import { DEPLOYS, PLANS } from './change.ts';
import { planeLogOf, productOf } from './paths.ts';

const PER_PAGE = '200';
const FRESH_MS = 10_000;

async function pageOf(q: string, after: string | null, signal: AbortSignal): Promise<TenantsPage> {
  const query = new URLSearchParams({ limit: PER_PAGE, ...(q !== '' && { q }), ...(after !== null && { after }) });
  return (await skep.transport.send({ method: 'GET', path: '/superadmin/node/tenants', query, signal }))
    .json as TenantsPage;
}

/** The node's tenants, 200 at a time. */
export const everyTenant = infiniteQueryOptions({
  queryKey: ['tenants', 'list', 'of products'],
  queryFn: ({ pageParam, signal }) => pageOf('', pageParam, signal),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next }) => next ?? undefined,
  staleTime: FRESH_MS,
});

/** All tenants of one product; another key may hold its name, too. */
export const tenantsOf = (product: string) =>
  queryOptions({
    queryKey: ['tenants', 'list', 'of product', product],
    queryFn: async ({ signal }): Promise<readonly Tenant[]> => {
      const found: Tenant[] = [];
      for (let after: string | null = null; ;) {
        const { tenants, next } = await pageOf(`${product}:`, after, signal);
        found.push(...tenants.filter(({ key }) => productOf(key) === product));
        if (next === null) return found;
        after = next;
      }
    },
    staleTime: FRESH_MS,
  });

export const CONTROL_LOG = logOf(CONTROL_PLANE);

/** What keys of deploys did to a product. */
export const deploysOf = (product: string) => recordsOf(planeLogOf(product), { action: DEPLOYS });

/** What superadmins did to it by plans. */
export const plansOf = (product: string) => recordsOf(CONTROL_LOG, { action: PLANS, target: `${product}:*` });
