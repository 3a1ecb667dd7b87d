/** What the pages of tenants ask the control plane. Each question is on record: the list is asked again while a reader is there (`parts/live.tsx`), and the steps of a plan while it is applied. */
import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import { recordsOf } from '../audit/queries.ts';
import { skep } from '../session/session.ts';
import { NODE_LOG } from './history.ts';
import { isDrop } from './step-words.ts';
import type { Administrator, Applied, Ledger, Plan, PlanWish, Registration, Tenant, TenantsPage } from './shapes.ts';

const FRESH_MS = 10_000;
/** How often the steps of a plan are looked at while it is applied. */
const PROGRESS_MS = 1000;
/** An apply may build indexes for an hour. */
const APPLY_MS = 60 * 60_000;

const NODE = '/superadmin/node/tenants';
const REGISTRY = '/superadmin/registry/tenants';
const plansOf = (key: string, part = ''): string => `${REGISTRY}/${encodeURIComponent(key)}/plans${part}`;

async function pageOf(q: string, after: string | null, signal: AbortSignal): Promise<TenantsPage> {
  const query = new URLSearchParams({ ...(q !== '' && { q }), ...(after !== null && { after }) });
  return (await skep.transport.send({ method: 'GET', path: NODE, query, signal })).json as TenantsPage;
}

/** A page at a time, by key; those whose key holds `q`. */
export const tenantsWith = (q: string) =>
  infiniteQueryOptions({
    queryKey: ['tenants', 'list', q],
    queryFn: ({ pageParam, signal }) => pageOf(q, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: FRESH_MS,
  });

/** One tenant; null where none has this key. A longer key may hold this one, so pages are asked for until it comes. */
export const tenantOf = (key: string) =>
  queryOptions({
    queryKey: ['tenants', 'one', key],
    queryFn: async ({ signal }): Promise<Tenant | null> => {
      for (let after: string | null = null; ;) {
        const { tenants, next } = await pageOf(key, after, signal);
        const found = tenants.find((one) => one.key === key);
        if (found !== undefined || next === null) return found ?? null;
        after = next;
      }
    },
  });

/** A plan as it was made in this page. The node tells risk and warnings once, with the plan; later it shows its ledger. */
export const planMade = (key: string, id: string) =>
  queryOptions({
    queryKey: ['tenants', 'plan', key, id],
    queryFn: (): Promise<Plan | null> => Promise.resolve(null),
    staleTime: Infinity,
    gcTime: Infinity,
  });

export const ledgerOf = (key: string, id: string, isUnderWay: boolean) =>
  queryOptions({
    queryKey: ['tenants', 'ledger', key, id],
    queryFn: async ({ signal }) =>
      (await skep.transport.send({ method: 'GET', path: plansOf(key, `/${encodeURIComponent(id)}`), signal }))
        .json as Ledger,
    refetchInterval: isUnderWay ? PROGRESS_MS : false,
  });

/** What the people who run the node did to a tenant by commands. */
export const doneTo = (key: string) => recordsOf(NODE_LOG, { target: key, action: 'platform.tenant.*' });

/** Backups of single tenants, and sets of the whole node. */
export const backupRecords = recordsOf(NODE_LOG, { action: 'platform.*backup', outcome: 'ok' });

/** A command that was run shows on the page when its reader asks. */
export async function lookAgain(queries: QueryClient): Promise<void> {
  await Promise.all(
    [
      ['tenants', 'one'],
      ['tenants', 'list'],
      ['audit', 'records', NODE_LOG],
    ].map((queryKey) => queries.invalidateQueries({ queryKey })),
  );
}

/** Sent once: a plan that is made twice is two plans. */
const post = async (path: string, body: object, timeoutMs?: number): Promise<unknown> =>
  (await skep.transport.send({ method: 'POST', path, body, again: 'never', ...(timeoutMs && { timeoutMs }) })).json;

/**
 * A plan without drops calls each of them a refusal. So it is made with drops first, which tells what truly does not fit and what would be dropped; where drops are not wished for, the plan
 * that leaves them out follows, as `skep deploy` has it.
 */
export async function makePlan(key: string, wish: PlanWish): Promise<Plan> {
  const whole = (await post(plansOf(key), { ...wish, allow_drops: true })) as Plan;
  const left = whole.steps.filter(isDrop);
  if (wish.allow_drops || left.length === 0) return whole;
  const { refusals: _, ...kept } = (await post(plansOf(key), wish)) as Plan;
  return { ...kept, ...(whole.refusals !== undefined && { refusals: whole.refusals }), left };
}

export const applyPlan = (key: string, { plan_id, max_risk }: Plan): Promise<Applied> => {
  const path = plansOf(key, `/${encodeURIComponent(plan_id)}/apply`);
  return post(path, { confirm_max_risk: max_risk }, APPLY_MS) as Promise<Applied>;
};

export const register = (wish: Registration): Promise<{ readonly key: string }> =>
  post(REGISTRY, wish) as Promise<{ readonly key: string }>;

/** `admin`: null where the tenant gets no person now. Safe to repeat. */
export const provision = (key: string, admin: Administrator | null): Promise<{ readonly steps: readonly string[] }> =>
  post(`${REGISTRY}/${encodeURIComponent(key)}/provision`, admin === null ? {} : { admin }, APPLY_MS) as Promise<{
    readonly steps: readonly string[];
  }>;
