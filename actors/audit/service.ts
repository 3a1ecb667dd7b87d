/** The audit service as its thread hosts it. It knows no tenant but by the ids of logs. */
import { defineService } from '#actors/host/service.ts';
import type { Service } from '#actors/host/service.ts';
import type { BearerCheck } from '#actors/kit/bearer.ts';
import { authenticate } from './admit.ts';
import type { Audit } from './audit.ts';
import { handlersOf } from './handlers.ts';
import { refuse } from './refusals.ts';
import { routes } from './routes.ts';
import type { VaultPeers } from './vault-peers.ts';

export function auditService(audit: Audit, bearers: BearerCheck, vaults: VaultPeers): Service {
  return defineService({
    name: 'audit',
    routes,
    handlers: handlersOf(audit),
    authenticate: (call) => authenticate(call, bearers, vaults, audit.clock.now()),
    unavailable: (_call, why) =>
      why === 'fault' || why === 'too_costly' ? refuse('audit.internal') : refuse('audit.unavailable'),
    activate: () => undefined,
  });
}
