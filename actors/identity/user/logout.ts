/** `POST /auth/logout`. Spec: docs/contract/identity-users.md §1.3; for a refresh token RFC 7009 §2.2: an unknown token gets 200, too. */
import type { Call } from '#actors/host/call.ts';
import { bearerToken } from '#actors/kit/bearer.ts';
import { sessionGateOf } from '#actors/host/service-kit.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { challenge } from '../refusals.ts';
import { closeSession } from '../session/follow-session.ts';
import { endFamilies, endFamily } from './end-login.ts';
import { cookieToken, takeTokens } from './give-tokens.ts';
import { showToken } from './refresh.ts';
import type { userRoutes } from './routes.ts';
import { logoutRequest } from './shapes.ts';

const REASON = 'logout';

type Result = Outcome<typeof userRoutes.logout>;

/**
 * A refresh token ends its login, even without a bearer token, which may have expired. A user's bearer token ends the login of its session; without
 * a session it does not say which login it belongs to, so all logins of the user end.
 */
export function logout(identity: Identity, call: Call): Result {
  const body = readBody(call, logoutRequest, true);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const text = body.value.refresh_token ?? (cookieToken(call) || null);
  const principal = userOf(identity, call);
  if (text === null && principal === null)
    return challenge(bearerToken(call.authorization) === null ? 'auth_required' : 'invalid_token');
  const shown = text === null ? null : showToken(call.turn(), text);
  const user = shown?.family.user ?? principal?.subject ?? '';
  const session = principal?.sid ?? shown?.family.sid ?? null;
  call.involve({ actor: user, target: user, ...(session === null ? {} : { session }) });
  if (shown !== null) endFamily(identity, call, shown.family, REASON);
  if (principal !== null && (text === null || principal.sid !== null))
    endFamilies(identity, call, principal.subject, principal.sid, REASON);
  // An impersonation is a session without a family.
  if (principal !== null && principal.sid !== null) closeSession(identity, call, principal.sid, REASON);
  call.commit();
  return takeTokens(call);
}

/** The user of the bearer token, or null. An expired one is no refusal here: the refresh token may still end its login. */
function userOf(identity: Identity, call: Call): Principal | null {
  const { activation } = call;
  const principal = identity.bearer.check(call.authorization, activation.position, sessionGateOf(activation));
  return principal?.type === 'user' ? principal : null;
}
