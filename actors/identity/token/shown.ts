/** What a shown token stands for at the position of a call. Each text is looked at in both ways, whatever it looks like. */
import { sessionGateOf } from '#actors/host/service-kit.ts';
import type { Call } from '#actors/host/call.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Identity } from '../identity.ts';
import { showToken, type ShownToken } from '../user/refresh.ts';

export interface Shown {
  /** Of an access token that this position takes. */
  readonly principal: Principal | null;
  /** Of a refresh token of this tenant, also of a used one. */
  readonly refresh: ShownToken | null;
}

export function shownAt(identity: Identity, call: Call, text: string): Shown {
  const { activation } = call;
  const sessions = sessionGateOf(activation);
  const principal = identity.bearer.check(`Bearer ${text}`, activation.position, sessions);
  // That it does not count may follow from the end of a session: the answer leaves no earlier than this end is durable.
  if (principal === null) call.saw(sessions.newest);
  return { principal, refresh: showToken(call.turn(), text) };
}
