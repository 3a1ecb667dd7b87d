/** `GET /auth/webauthn/credentials`: the user's passkeys, oldest first. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { ownerOf } from './owner.ts';
import type { passkeyRoutes } from './routes.ts';
import { readPasskeys } from './store.ts';
import { viewOf } from './view.ts';

export function listPasskeys(call: Call): Outcome<typeof passkeyRoutes.listPasskeys> {
  const owner = ownerOf(call);
  if (isRefusal(owner)) return owner;
  const turn = call.turn();
  const credentials = readPasskeys(turn, owner.user.id).map((record) => viewOf(turn, record));
  return reply(200, { credentials, count: credentials.length }, { 'Cache-Control': 'no-store' });
}
