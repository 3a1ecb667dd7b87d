/**
 * `POST /auth/revoke` (RFC 7009). Holding a token is enough to end it. A refresh token ends its login, an access token with a session that session and
 * its login. What cannot be ended is said (§2.2.1): a service token, and a user's access token of a tenant without sessions. What this position does not
 * take, or no longer takes, is 200.
 */
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { refuse } from '../refusals.ts';
import { closeSession } from '../session/follow-session.ts';
import { endFamilies, endFamily } from '../user/end-login.ts';
import { readToken } from './read-token.ts';
import type { tokenRoutes } from './routes.ts';
import { shownAt } from './shown.ts';

type Result = Outcome<typeof tokenRoutes.revoke>;

const REASON = 'revoked';
const DONE = { ok: true } as const;

export function revokeToken(identity: Identity, call: Call): Result {
  const body = readToken(call);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const { principal, refresh } = shownAt(identity, call, body.value.token);
  if (refresh !== null) {
    const { user, sid } = refresh.family;
    call.involve({ actor: user, target: user, ...(sid === null ? {} : { session: sid }) });
    endFamily(identity, call, refresh.family, REASON);
  }
  if (principal !== null) {
    const { sid, subject, actor } = principal;
    call.involve({ actor: actor ?? subject, target: subject, ...(sid === null ? {} : { session: sid }) });
    if (sid === null) return refuse('unsupported_token_type');
    endFamilies(identity, call, subject, sid, REASON);
    closeSession(identity, call, sid, REASON); // an impersonation is a session without a family
  }
  call.commit();
  return reply(200, DONE, { 'Cache-Control': 'no-store' });
}
