/** `GET /auth/me`. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { hasSecondFactor } from '../mfa/factors.ts';
import type { Reader, UserRecord } from '../store.ts';
import type { meRoutes } from './me-routes.ts';
import { ownAccount } from './own-account.ts';
import type { Me } from './shapes.ts';

const NO_STORE = { 'Cache-Control': 'no-store' } as const;

export function showMe(call: Call): Outcome<typeof meRoutes.showMe> {
  const own = ownAccount(call);
  return isRefusal(own) ? own : reply(200, meOf(call.turn(), own.user), NO_STORE);
}

/** Roles are those of the next token: a token that lives may have others. */
export function meOf(reader: Reader, user: UserRecord): Me {
  const { id, email, firstname, lastname, roles, allow_impersonation, created_at, locale = null } = user;
  return {
    id,
    email,
    guest: user.guest === true,
    verified: user.verified_at !== undefined,
    firstname,
    lastname,
    roles: [...roles],
    locale,
    allow_impersonation,
    second_factor: hasSecondFactor(reader, id),
    has_password: user.password_hash !== '',
    created_at,
  };
}
