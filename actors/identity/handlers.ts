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
    bootstrap: async (call) => toldLater(identity, call, 'bootstrap', async () => bootstrap(identity, call)),
    issueKey: (call) => told(identity, call, 'apikey_issue', () => issueKey(identity, call)),
    revokeKey: (call) => told(identity, call, 'apikey_revoke', () => revokeKey(identity, call)),
    revokeNothing: (call) => told(identity, call, 'apikey_revoke', () => revokeKey(identity, call)),
    exchangeKey: (call) => told(identity, call, 'token_exchange', () => exchangeKey(identity, call)),
    jwks: () => jwks(identity.context.ring),
  };
}

type Ended = Reply | Refusal;

/** What the host answers when a handler throws: a full store, a fault. */
const FAULT = 'fault';
const codeOf = (outcome: Ended): string => (outcome.kind === 'refusal' ? outcome.code : 'ok');

function told<R extends Ended>(identity: Identity, call: Call, flow: AuthFlow, run: () => R): R {
  let outcome = FAULT;
  identity.emit(call, `auth.${flow}.before`, '', '');
  try {
    const ended = run();
    outcome = codeOf(ended);
    return ended;
  } finally {
    identity.emit(call, `auth.${flow}.after`, '', outcome);
  }
}

/** The same for a flow that waits. */
async function toldLater<R extends Ended>(
  identity: Identity,
  call: Call,
  flow: AuthFlow,
  run: () => Promise<R>,
): Promise<R> {
  let outcome = FAULT;
  identity.emit(call, `auth.${flow}.before`, '', '');
  try {
    const ended = await run();
    outcome = codeOf(ended);
    return ended;
  } finally {
    identity.emit(call, `auth.${flow}.after`, '', outcome);
  }
}
