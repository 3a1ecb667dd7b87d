/** The half of an impersonation in the user's tenant: consent, a session that the user sees, a token that names the operator. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { instantMs } from '#config/values/instant.ts';
import { mintUserToken } from '#actors/kit/token/user-token.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { commitAndTell, type Identity } from '../identity.ts';
import { openSession } from '../session/open-session.ts';
import { findUserNamed, type UserRecord } from '../store.ts';

export interface OpenWish {
  /** Subject of the operator in its plane. */
  readonly operator: string;
  /** Id or login. */
  readonly user: string;
  readonly reason: string;
  readonly mode: 'readonly' | 'full';
  /** When the operator's grant ends: no token outlives it. */
  readonly granted_until: string;
  readonly ip: string | null;
  /** The id of the operator's request. */
  readonly request_id: string;
  readonly user_agent: string | null;
}

export interface ImpersonationBody {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly session_id: string;
}

export type Opened =
  | { readonly outcome: 'opened'; readonly body: ImpersonationBody; readonly userId: string }
  | { readonly outcome: 'denied'; readonly why: string; readonly userId?: string }
  | { readonly outcome: 'failed'; readonly userId: string };

/** Session and token of one impersonation; the session is managed even where the product has no sessions (docs/contract/identity-users.md §7.2). */
export function openImpersonation(identity: Identity, work: Work, wish: OpenWish): Opened {
  const user = findUserNamed(work.turn(), wish.user);
  if (user === undefined) return { outcome: 'denied', why: 'no such user' };
  if (user.disabled_at !== undefined) return deny(user, 'the user is disabled');
  if (!user.allow_impersonation) return deny(user, 'the user does not allow impersonation');
  const now = work.activation.context.clock.now();
  const endsMs = Math.min(now + limits.identity.impersonationSeconds * 1000, instantMs(wish.granted_until));
  const expiresIn = Math.floor((endsMs - now) / 1000);
  if (!(expiresIn > 0)) return deny(user, 'the grant has expired');
  return open(identity, work, wish, user, expiresIn);
}

function deny({ id }: UserRecord, why: string): Opened {
  return { outcome: 'denied', why, userId: id };
}

function open(identity: Identity, work: Work, wish: OpenWish, user: UserRecord, expiresIn: number): Opened {
  const session = openSession(identity, work, {
    principal: user.id,
    kind: 'impersonation',
    actor: wish.operator,
    purpose: { reason: wish.reason, mode: wish.mode },
    lifetimeMs: expiresIn * 1000,
    ip: wish.ip,
    userAgent: wish.user_agent,
  });
  if (isRefusal(session)) return deny(user, `no session: ${session.code}`);
  const token = mint(work, wish, user, session.sid, expiresIn);
  if (token === null) return { outcome: 'failed', userId: user.id };
  const { mode, reason, operator, request_id, ip } = wish;
  const data = { operator, mode, reason, session_id: session.sid, expires_in: expiresIn };
  commitAndTell(identity, work, {
    action: 'auth.impersonation.started',
    actor: operator,
    target: user.id,
    request_id,
    ...(ip === null ? {} : { personal: { ip } }),
    data,
  });
  return {
    outcome: 'opened',
    userId: user.id,
    body: { access_token: token, token_type: 'Bearer', expires_in: expiresIn, session_id: session.sid },
  };
}

/** `act` names the operator (RFC 8693 §4.1) and the mode. The role `superadmin` is left out of the token. Null when no key can sign. */
function mint(
  work: Work,
  { operator, mode }: OpenWish,
  user: UserRecord,
  sid: string,
  expiresIn: number,
): string | null {
  const { context, position, product } = work.activation;
  const wish = {
    userId: user.id,
    tenant: position.key,
    roles: user.roles.filter((role) => role.toLowerCase() !== 'superadmin'),
    sid,
    act: { sub: operator, mode },
    lifetimeSeconds: expiresIn,
    product,
  };
  try {
    return mintUserToken(context.ring, context.clock.now(), wish).token;
  } catch (error) {
    work.abort();
    context.log.error(
      { service: 'identity', error: String(error) },
      'no token could be signed: see skep key ring list',
    );
    return null;
  }
}
