/** One line per route. Every auth flow tells the bus when it begins and how it ended (identity.md "Events"). */
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { bootstrap } from './bootstrap.ts';
import type { AuthFlow } from './events.ts';
import { exchangeKey } from './exchange-key.ts';
import type { Identity } from './identity.ts';
import { issueKey } from './issue-key.ts';
import { jwks } from './jwks.ts';
import { revokeKey } from './revoke-key.ts';
import type { routes } from './routes.ts';

export function handlersOf(identity: Identity): Handlers<typeof routes> {
  return {
    bootstrap: async (call) => {
      begin(identity, call, 'bootstrap');
      return end(identity, call, 'bootstrap', await bootstrap(identity, call));
    },
    issueKey: (call) => told(identity, call, 'apikey_issue', () => issueKey(identity, call)),
    revokeKey: (call) => told(identity, call, 'apikey_revoke', () => revokeKey(identity, call)),
    revokeNothing: (call) => told(identity, call, 'apikey_revoke', () => revokeKey(identity, call)),
    exchangeKey: (call) => told(identity, call, 'token_exchange', () => exchangeKey(identity, call)),
    jwks: () => jwks(identity.context.ring),
  };
}

function told<R extends Reply | Refusal>(identity: Identity, call: Call, flow: AuthFlow, run: () => R): R {
  begin(identity, call, flow);
  return end(identity, call, flow, run());
}

function begin(identity: Identity, call: Call, flow: AuthFlow): void {
  identity.emit(call, `auth.${flow}.before`, '', '');
}

function end<R extends Reply | Refusal>(identity: Identity, call: Call, flow: AuthFlow, outcome: R): R {
  identity.emit(call, `auth.${flow}.after`, '', outcome.kind === 'refusal' ? outcome.code : 'ok');
  return outcome;
}
