/** Makes the row of a user. Used by bootstrap, provisioning, sign-ins with a provider and sign-ups. */
import type { Context } from '#actors/host/activation.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { findLogin, putUser, type Turn } from './store.ts';

export interface UserWish {
  readonly email: string;
  /** PHC string, from `hashPassword` of actors/kit/password.ts. */
  readonly passwordHash: string;
  readonly roles: readonly string[];
  readonly firstname?: string | null | undefined;
  readonly lastname?: string | null | undefined;
  /** The user has shown to hold the address. */
  readonly verified?: boolean;
}

/** Stages a user of the turn's tenant; its id, or null when the login is taken. Impersonation is off until the user allows it. */
export function createUser(turn: Turn, source: Pick<Context, 'clock' | 'ids'>, wish: UserWish): string | null {
  if (findLogin(turn, wish.email) !== undefined) return null;
  const id = source.ids.next();
  const created_at = timestamp(source.clock.now());
  putUser(turn, {
    id,
    email: wish.email,
    firstname: wish.firstname ?? null,
    lastname: wish.lastname ?? null,
    roles: wish.roles,
    password_hash: wish.passwordHash,
    allow_impersonation: false,
    created_at,
    ...(wish.verified === true ? { verified_at: created_at } : {}),
  });
  return id;
}
