/** `GET /superadmin/node/tenants`: a page of the registry, in the order of keys, with where each tenant is and what it serves. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Standing } from '#actors/protocol/standing.ts';
import type { Identity } from '../identity.ts';
import { entryOf } from '../registry.ts';
import { tenantsFrom, type Reader, type TenantRecord } from '../store.ts';
import { readTenantsQuery, type TenantsQuery } from './read-query.ts';
import { refusedOutsider } from './refused-outsider.ts';
import type { nodeViewRoutes } from './routes.ts';
import { UNKEPT } from './unkept.ts';

type Result = Outcome<(typeof nodeViewRoutes)['nodeTenants']>;

interface TenantPage {
  readonly tenants: readonly TenantRecord[];
  /** The key to go on after; null at the end. */
  readonly next: string | null;
}

export async function listTenants(identity: Identity, call: Call): Promise<Result> {
  const query = refusedOutsider(call) ?? readTenantsQuery(call.query);
  if (isRefusal(query)) return query;
  // The caller is at the control plane, whose own store has the registry.
  const { tenants, next } = pageOf(call.turn(), query);
  call.abort();
  const asked = tenants.map(({ no, shard }) => ({ no, shard }));
  const places = await identity.node.ask('node.tenants', { tenants: asked });
  const shown = tenants.map((record, at) => ({ ...viewOf(record), ...places[at]! }));
  return reply(200, { tenants: shown, next }, UNKEPT);
}

/** At most `limit` tenants; fewer where as many records were looked at as one page may, and `next` says where the search goes on. */
export function pageOf(reader: Reader, { q, after, limit }: TenantsQuery): TenantPage {
  const tenants: TenantRecord[] = [];
  let last = after;
  let looked = 0;
  for (const record of tenantsFrom(reader, after)) {
    if (record.key === after) continue;
    if (tenants.length === limit || looked === limits.nodeView.tenantLooksMax) return { tenants, next: last };
    looked++;
    last = record.key;
    if (record.key.includes(q)) tenants.push(record);
  }
  return { tenants, next: null };
}

function viewOf(record: TenantRecord) {
  const { position, shard, state, standing, localdir } = entryOf(record);
  const stands: Standing | 'serving' = standing ?? 'serving';
  return { ...position, state, standing: stands, product_source: localdir, created_at: record.created_at, shard };
}
