/** The end of every sign-in that succeeded: a session where the product has them, then the tokens. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { openLogin } from '../session/open-session.ts';
import type { UserRecord } from '../store.ts';
import { issueTokens } from '../user/issue-tokens.ts';
import type { oauthRoutes } from './routes.ts';

/** Stages and commits; nothing waits in here. */
export function completeLogin(
  identity: Identity,
  call: Call,
  user: UserRecord,
): Outcome<typeof oauthRoutes.finishOauth> {
  const session = openLogin(identity, call, user.id);
  if (isRefusal(session)) return session;
  const tokens = issueTokens(identity, call, user, session);
  if (isRefusal(tokens)) return tokens;
  call.commit();
  return reply(200, tokens, { 'Cache-Control': 'no-store' });
}
