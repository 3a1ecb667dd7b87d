/** `PATCH /auth/admin/users/{id}`: names, roles, disabled; a consent to impersonation is only taken away. */
import type { Call } from '#actors/host/call.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import type { UserRecord } from '../store.ts';
import { userToChange } from './administrator.ts';
import { indexReady } from './build-index.ts';
import { refusedRole } from './roles.ts';
import type { peopleRoutes } from './routes.ts';
import { changeRequest, type UserChange } from './shapes.ts';
import { stageChange } from './stage-change.ts';
import { administers, hasOtherAdministrator } from './store.ts';
import { viewOf } from './view.ts';

type Result = Outcome<typeof peopleRoutes.changeUser>;

export async function changeUser(identity: Identity, call: Call): Promise<Result> {
  const first = userToChange(call);
  if (isRefusal(first)) return first;
  const body = readBody(call, changeRequest);
  if (!body.ok) return body.refusal;
  const pending = indexReady(identity, call.activation);
  if (pending !== null) {
    call.abort();
    await pending;
  }
  const present = userToChange(call);
  if (isRefusal(present)) return present;
  const refused = refusedRole(call, present.caller, body.value.roles ?? [], present.user.roles);
  if (refused !== null) return refused;
  if (present.user.guest === true && (body.value.roles ?? []).includes('tenant_admin'))
    return refuse('guest_denied', { message: 'roles: a guest administers nothing: it becomes an account first' });
  const changed = changedBy(call, present.user, body.value);
  const last = lastAdministrator(call, present.user, changed);
  if (last !== null) return last;
  stageChange(identity, call, { ...call.who }, present.user, changed);
  // Commit now: until then another turn would still count this user as another administrator.
  call.commit();
  return reply(200, viewOf(changed));
}

/** The user with the given fields; names may be set to null. */
function changedBy(work: Work, user: UserRecord, change: UserChange): UserRecord {
  const { firstname, lastname, roles, disabled, allow_impersonation } = change;
  const { disabled_at: before, ...rest } = user;
  const isDisabled = disabled ?? before !== undefined;
  return {
    ...rest,
    firstname: firstname === undefined ? user.firstname : firstname,
    lastname: lastname === undefined ? user.lastname : lastname,
    roles: roles ?? user.roles,
    allow_impersonation: allow_impersonation ?? user.allow_impersonation,
    ...(isDisabled ? { disabled_at: before ?? timestamp(work.now) } : {}),
  };
}

/** The refusal of a change after which no user could administer the tenant; undefined stands for a deleted user. */
export function lastAdministrator(
  work: Work,
  user: UserRecord,
  changed: UserRecord | undefined,
): Refusal<'last_administrator'> | null {
  if (!administers(user) || (changed !== undefined && administers(changed))) return null;
  return hasOtherAdministrator(work.turn(), user.id) ? null : refuse('last_administrator');
}
