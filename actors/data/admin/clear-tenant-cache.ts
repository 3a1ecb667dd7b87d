/** DELETE /data/superadmin/tenant/{tenant}/cache (docs/contract/data-admin.md §9.1). */
import type { Call } from '#actors/host/call.ts';
import { DefinitionError } from '#actors/kit/rule.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { renew } from '../part.ts';
import { refuse } from '../refusals.ts';
import type { targetedRows } from './superadmin-routes.ts';

export async function clearTenantCache(call: Call): Promise<Outcome<(typeof targetedRows)['superadmin_cache_clear']>> {
  try {
    await renew(call);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return refuse('v2.invalidate_failed', { message: error.message });
  }
  return reply(200, { invalidated: call.activation.position.key });
}
