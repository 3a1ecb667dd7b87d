/** Every auth flow tells the bus when it begins and how it ended (identity.md "Events"). */
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { AuthFlow } from './events.ts';
import type { Identity } from './identity.ts';

type Ended = Reply | Refusal;

/** What the host answers when a handler throws: a full store, a fault. */
const FAULT = 'fault';
const codeOf = (outcome: Ended): string => (outcome.kind === 'refusal' ? outcome.code : 'ok');

/** Runs a flow between its two events. */
export function told<R extends Ended>(identity: Identity, call: Call, flow: AuthFlow, run: () => R): R {
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
export async function toldLater<R extends Ended>(
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
