/** The audit service as its thread hosts it. It knows no tenant but by the ids of logs. */
import { defineService, type Service } from '#actors/host/service.ts';
import type { BearerCheck } from '#actors/kit/bearer.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { refuseSuspended } from '#actors/protocol/standing.ts';
import { authenticate } from './admit.ts';
import type { Audit } from './audit.ts';
import { handlersOf } from './handlers.ts';
import { refuse } from './refusals.ts';
import { routes } from './routes.ts';
import type { Suspended } from './suspended.ts';
import type { VaultPeers } from './vault-peers.ts';

export interface AuditCallers {
  readonly bearers: BearerCheck;
  readonly vaults: VaultPeers;
  readonly suspended: Suspended;
}

export function auditService(audit: Audit, callers: AuditCallers): Service {
  return defineService({
    name: 'audit',
    routes,
    handlers: handlersOf(audit),
    authenticate: (call) => {
      const principal = authenticate(call, callers.bearers, callers.vaults, audit.clock.now());
      return !isRefusal(principal) && callers.suspended.has(principal.tenant) ? refuseSuspended() : principal;
    },
    unavailable: (_call, why) =>
      why === 'fault' || why === 'too_costly' ? refuse('audit.internal') : refuse('audit.unavailable'),
    activate: () => undefined,
  });
}
