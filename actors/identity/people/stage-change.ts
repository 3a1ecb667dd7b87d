/** Stages a changed user, the end of the logins that the change takes away, and the event; for administrators and operators. */
import type { Work } from '#actors/host/work.ts';
import { tell, type Identity } from '../identity.ts';
import { closeImpersonations, closeSessions } from '../session/follow-session.ts';
import { putUser, type UserRecord } from '../store.ts';
import { endAccess } from './end-access.ts';

/** The author of a change, as its event names one. */
export interface By {
  readonly actor: string;
  readonly request_id: string;
}

/**
 * A disabled user loses every login, token and link at once. A lost role ends the user's sessions and impersonations, since their tokens have the
 * old roles; tokens without a session keep them until they expire. A withdrawn consent ends the impersonations.
 */
export function stageChange(
  identity: Identity,
  work: Work,
  by: By,
  before: UserRecord,
  after: UserRecord,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const { id } = after;
  putUser(work.turn(), after);
  if (after.disabled_at !== undefined && before.disabled_at === undefined) endAccess(identity, work, id, 'disabled');
  if (!after.allow_impersonation) closeImpersonations(identity, work, id, 'consent_withdrawn');
  if (before.roles.some((role) => !after.roles.includes(role))) {
    closeSessions(identity, work, id, 'demoted');
    closeImpersonations(identity, work, id, 'demoted');
  }
  const { roles, allow_impersonation } = after;
  const disabled = after.disabled_at !== undefined;
  const data = { roles, allow_impersonation, disabled, changed: changedFields(before, after), ...more };
  tell(identity, work, { ...by, action: 'auth.user.changed', target: id, data });
}

/** Names of what changed; values only where they are not personal. */
function changedFields(before: UserRecord, after: UserRecord): string[] {
  const names = ['firstname', 'lastname', 'roles', 'allow_impersonation', 'disabled_at'] as const;
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
