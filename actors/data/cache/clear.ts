/** DELETE /data/cache: drops what the service has made for the tenant and can make again (docs/contract/data.md §9.1). */
import type { Call } from '#actors/host/call.ts';
import { DefinitionError } from '#actors/kit/rule.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { renew } from '../part.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';

export async function clearCache(call: Call): Promise<Outcome<Routes['cache_clear']>> {
  try {
    await renew(call);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return refuse('v2.cache_clear_failed', { message: error.message });
  }
  return reply(200, { cleared: true, tenant: call.activation.position.key });
}
