/** Identity as its host runs it. */
import type { Why } from '#actors/host/why.ts';
import type { Call } from '#actors/host/call.ts';
import { defineService, type Service } from '#actors/host/service.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { RETRY_WHEN_ROOM } from '#actors/protocol/retry-after.ts';
import { asksOf } from './asks.ts';
import { authenticate } from './authenticate.ts';
import { sweepGuests } from './guest/sweep-guests.ts';
import { handlersOf } from './handlers.ts';
import { Identity, SERVICE, type IdentityOptions } from './identity.ts';
import { hasOpenErasure, kickErasures } from './privacy/erasures.ts';
import { busy, refuse } from './refusals.ts';
import { routes } from './routes.ts';

/** The service of one thread; each thread needs its own, since it holds the cache of verified tokens. */
export function identityService(options: IdentityOptions): Service {
  const identity = new Identity(options);
  return defineService({
    name: SERVICE,
    needsNoDefinitions: true,
    routes,
    handlers: handlersOf(identity),
    authenticate: (call) => authenticate(identity, call),
    unavailable,
    asks: asksOf(identity),
    outboxes: { mail: identity.outbox },
    resume: (store, tenantNo) => {
      identity.outbox.resume(store, tenantNo);
      if (hasOpenErasure(store)) options.wakeTenant?.(tenantNo);
    },
    activate: (activation) => {
      kickErasures(identity, activation);
      const awake = identity.activate(activation);
      const sweep = () => sweepGuests(identity, activation);
      return awake instanceof Promise ? awake.then(sweep) : sweep();
    },
  });
}

const FULL = 'not done: the disk has less room than storage.free_bytes_min keeps free';

/** A full disk is `persist_failed` where a row was to be written; what passes by waiting is 503 (docs/contract/common.md §8.2). */
function unavailable(call: Call, why: Why): Refusal {
  if (why === 'storage_full')
    for (const code of ['persist_failed', 'issue_failed'] as const)
      if (call.route.row.refusals.includes(code)) return refuse(code, { message: FULL, headers: RETRY_WHEN_ROOM });
  if (why === 'storage_full') return refuse('engine_unavailable', { message: FULL, headers: RETRY_WHEN_ROOM });
  return why === 'overloaded' || why === 'stopped' ? busy() : refuse('engine_unavailable');
}
