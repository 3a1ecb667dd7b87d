/** Takes the accounts at one provider away from a user, for the user and for administrators. */
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { commitAndTellOwner } from '../account/tell-owner.ts';
import type { Identity } from '../identity.ts';
import { waysIn } from '../passkey/ways-in.ts';
import { refuse } from '../refusals.ts';
import type { UserRecord } from '../store.ts';
import { deleteLink, readLinks } from './store.ts';

/** Null when it is done and committed, with a notice to the owner. Call it once the index of links is whole. */
export function unlink(
  identity: Identity,
  call: Call,
  user: UserRecord,
  provider: string,
): Refusal<'unknown_identity' | 'last_login_way'> | null {
  const turn = call.turn();
  const linked = readLinks(turn, user.id).filter(({ key }) => key.provider === provider);
  if (linked.length === 0) return refuse('unknown_identity');
  if (waysIn(call, user, provider) === 0) return refuse('last_login_way');
  for (const { key } of linked) deleteLink(turn, key);
  commitAndTellOwner(identity, call, 'provider_unlinked', user, { provider });
  return null;
}
