/** The last step of every login: the user may come in at all, a session where the product has them, then the tokens. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { noteGuest } from '../guest/keep-guest.ts';
import { openLogin } from '../session/open-session.ts';
import { challenge } from '../refusals.ts';
import type { UserRecord } from '../store.ts';
import { giveTokens } from './give-tokens.ts';
import { issueTokens } from './issue-tokens.ts';
import type { TokenReply } from './shapes.ts';

/** Stages and commits session and tokens without an await, so that no other login runs between the limit's check and the commit. */
export function admitUser(
  identity: Identity,
  call: Call,
  user: UserRecord,
): Reply<200, TokenReply> | Refusal<'invalid_credentials' | 'mint_failed' | 'session_limit' | 'engine_unavailable'> {
  if (user.disabled_at !== undefined) return challenge('invalid_credentials');
  const session = openLogin(identity, call, user.id);
  if (isRefusal(session)) return session;
  call.involve({ actor: user.id, target: user.id, ...(session.sid === null ? {} : { session: session.sid }) });
  noteGuest(call, user);
  const tokens = issueTokens(identity, call, user, session);
  if (isRefusal(tokens)) return tokens;
  const given = giveTokens(call, tokens);
  if (!isRefusal(given)) call.commit();
  return given;
}
