/** A user as administrators and operators see one: an explicit list, so that no hash can slip in. */
import type { UserRecord } from '../store.ts';
import type { UserView } from './shapes.ts';

export function viewOf(user: UserRecord): UserView {
  const { id, email, firstname, lastname, roles, allow_impersonation, created_at, disabled_at = null } = user;
  return {
    id,
    email,
    firstname,
    lastname,
    roles: [...roles],
    guest: user.guest === true,
    disabled: disabled_at !== null,
    disabled_at,
    allow_impersonation,
    has_password: user.password_hash !== '',
    verified_at: user.verified_at ?? null,
    ...(user.external_id === undefined ? {} : { external_id: user.external_id }),
    created_at,
  };
}
