/** How every service says whether it is ready: the words of the contract, `ready:true`, and JSON for callers that ask for it. */
import type { Call } from './call.ts';
import { reply, replyText } from '#actors/protocol/route.ts';
import type { Reply } from '#actors/protocol/route.ts';

const VARY = { Vary: 'Accept' } as const;

/** `ready:true` or `ready:false` as text; `{"ready": …}` where the row reads `accept` and it names JSON. */
export function readiness<S extends number>(call: Call, status: S, ready: boolean): Reply<S> {
  if (call.header('accept')?.includes('application/json') === true) return reply(status, { ready }, VARY);
  return replyText(status, `ready:${ready}`, 'text/plain; charset=utf-8', VARY);
}
