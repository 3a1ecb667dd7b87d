/** Answers when the service's turn could not run or could not be kept (docs/contract/common.md §8.2, §8.3). */
import type { Call } from '#actors/host/call.ts';
import type { Why } from '#actors/host/why.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { RETRY_WHEN_ROOM } from '#actors/protocol/retry-after.ts';
import { busy, refusals, refuse } from './refusals.ts';

/** The code of each route whose status comes from the engine (docs/contract/data.md §10.1). */
const CODES = {
  list: 'v2.query_failed',
  read: 'v2.query_failed',
  search: 'v2.search_query_failed',
  create: 'v2.create_failed',
  update: 'v2.update_failed',
  update_by_id: 'v2.update_failed',
  delete: 'v2.delete_failed',
  delete_found: 'v2.delete_failed',
  restore: 'v2.restore_failed',
  graphql: 'v2.query_failed',
  graphql_get: 'v2.query_failed',
  endpoint: 'v2.script_error',
  action_read: 'v2.action_failed',
  action_explain: 'v2.action_failed',
  superadmin_action_explain: 'v2.action_failed',
  action: 'v2.action_failed',
  entity_action: 'v2.action_failed',
  cache_clear: 'v2.cache_clear_failed',
  content_stores: 'v2.contentstore_list_failed',
  import: 'v2.import_failed',
  export: 'v2.query_failed',
  plan_apply: 'v2.plan_apply_failed',
  superadmin_tenants: 'v2.list_tenants_failed',
  superadmin_cache_clear: 'v2.invalidate_failed',
  superadmin_plan_apply: 'v2.plan_apply_failed',
} as const;

const FULL = 'not written: the disk has less room than storage.free_bytes_min keeps free; reads and deletes go on';

/** Overload, and a store that refuses a read: 503 to try again. More work than a turn may do: 422 where the
 * verb knows it. A row not written, and any fault: 500 with the verb's code. */
export function unavailable(call: Call, why: Why): Refusal {
  const route = call.route.name.replace(/^anon_/, '');
  const writes = call.method !== 'GET' && call.method !== 'HEAD' && route !== 'search';
  const code = CODES[route as keyof typeof CODES] ?? 'v2.engine_unavailable';
  if (why === 'fault') return refuse(code, { status: 500, message: 'an unexpected fault; it is in the log' });
  if (why === 'too_costly') {
    const statuses: readonly number[] = refusals[code].statuses;
    const status = statuses.includes(422) ? 422 : 500;
    return refuse(code, { status: status as 500, message: 'the request asks for more than may be done at a stretch' });
  }
  if (why === 'storage_full' && writes) return refuse(code, { status: 500, message: FULL, headers: RETRY_WHEN_ROOM });
  return busy();
}
