/** `GET /auth/admin/users/{id}`. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { linksReady } from '../oauth/build-links.ts';
import { administratorOf, userNamed } from './administrator.ts';
import { detailOf } from './detail.ts';
import type { peopleRoutes } from './routes.ts';

export async function showUser(identity: Identity, call: Call): Promise<Outcome<typeof peopleRoutes.showUser>> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const pending = linksReady(identity, call.activation);
  if (pending !== null) {
    call.abort();
    await pending;
  }
  const named = userNamed(call);
  if (isRefusal(named)) return named;
  return reply(200, detailOf(call.turn(), named.user));
}
