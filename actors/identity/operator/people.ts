/** The users that provisioning makes and operators change: administrators, superadmins, roles and consent to impersonation. */
import { isOperatorRole } from '#config/definitions/roles-section.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { hashPassword } from '#actors/kit/password.ts';
import type { PersonWish } from '#actors/protocol/node-verbs.ts';
import { SUPERADMIN_ROLES } from '../bootstrap.ts';
import { createUser } from '../create-user.ts';
import { tell, type Identity } from '../identity.ts';
import { resetFactors } from '../mfa/factors.ts';
import { shortness } from '../password-shape.ts';
import { bootstrapUsed, closeBootstrap, findLogin, findUser, findUserNamed, putUser } from '../store.ts';
import type { UserRecord } from '../store.ts';
import { checkRoles } from '../people/roles.ts';
import { stageChange } from '../people/stage-change.ts';
import { viewOf } from '../people/view.ts';
import type { UserView } from '../people/shapes.ts';
import { person } from './shapes.ts';

export interface EnsureWish extends PersonWish {
  readonly roles: readonly string[];
  /** An existing user gets the password, too: the operator does not know the present one. */
  readonly replace?: boolean;
}

export interface Ensured {
  readonly id: string;
  readonly created: boolean;
}

/** Makes a user of the work's tenant with this login; an existing user changes only as `replace` says. Throws on a bad address, password or role. */
export async function ensurePerson(identity: Identity, work: Work, wish: EnsureWish): Promise<Ensured> {
  const { email, password } = checked(wish);
  checkRoles(work, wish.roles);
  const before = userOf(work, email);
  if (before !== undefined && wish.replace !== true) return { id: before.id, created: false };
  const short = shortness(work.activation, password);
  if (short !== null) throw new Error(short);
  const passwordHash = await hashPassword(password);
  work.abort();
  const present = userOf(work, email);
  if (present !== undefined) {
    if (wish.replace === true) replacePassword(identity, work, present, passwordHash, wish);
    return { id: present.id, created: false };
  }
  const { roles, firstname, lastname } = wish;
  const id = createUser(work.turn(), work.activation.context, { email, passwordHash, roles, firstname, lastname })!;
  tell(identity, work, {
    ...byWhom(wish),
    action: 'auth.user.created',
    target: id,
    personal: { email },
    data: { roles },
  });
  return { id, created: true };
}

function replacePassword(
  identity: Identity,
  work: Work,
  user: UserRecord,
  password_hash: string,
  wish: EnsureWish,
): void {
  putUser(work.turn(), { ...user, password_hash });
  const data = { password: 'replaced' };
  tell(identity, work, { ...byWhom(wish), action: 'auth.user.changed', target: user.id, data });
}

/** The HTTP caller for which the node acts; without one it is `operator`, from the command line. */
function byWhom({ by }: PersonWish): { readonly actor: string; readonly request_id: string } {
  return by ?? { actor: 'operator', request_id: '' };
}

/** Makes the control plane's superadmin. A new one is the first, so bootstrap closes in the same turn. */
export async function ensureSuperadmin(identity: Identity, work: Work, wish: PersonWish): Promise<Ensured> {
  const ensured = await ensurePerson(identity, work, { ...wish, roles: SUPERADMIN_ROLES });
  const turn = work.turn();
  const now = timestamp(work.activation.context.clock.now());
  if (ensured.created && !bootstrapUsed(turn)) closeBootstrap(turn, now, ensured.id);
  return ensured;
}

/** A user of the work's tenant by id or login; null when there is none. */
export function findPerson(work: Work, { user }: { readonly user: string }): { readonly id: string } | null {
  const found = findUserNamed(work.turn(), user);
  return found === undefined ? null : { id: found.id };
}

export interface UserChange {
  /** Id or login. */
  readonly user: string;
  readonly roles?: readonly string[] | undefined;
  readonly allow_impersonation?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  /** Ends the second factor and its recovery codes: for a user who has lost the app. */
  readonly reset_second_factor?: boolean | undefined;
}

/** Sets the given fields; what ends with them: stage-change.ts. Throws an error for the operator when there is no such user or role. */
export function setUser(
  identity: Identity,
  work: Work,
  { user, roles, allow_impersonation, reset_second_factor, disabled }: UserChange,
): UserView {
  const present = findUserNamed(work.turn(), user);
  if (present === undefined) throw new Error(`no user ${user} in ${work.activation.position.key}`);
  checkRoles(work, roles ?? [], present.roles);
  if (present.guest === true && roles?.some((role) => role === 'tenant_admin' || isOperatorRole(role)) === true)
    throw new Error(`user ${present.id} is a guest: a guest administers nothing, and becomes an account first`);
  const { disabled_at, ...rest } = present;
  const isDisabled = disabled ?? disabled_at !== undefined;
  const changed: UserRecord = {
    ...rest,
    roles: roles ?? present.roles,
    allow_impersonation: allow_impersonation ?? present.allow_impersonation,
    ...(isDisabled ? { disabled_at: disabled_at ?? timestamp(work.now) } : {}),
  };
  if (reset_second_factor === true) resetFactors(work.turn(), changed.id);
  const reset = reset_second_factor === true ? { second_factor: 'reset' } : {};
  stageChange(identity, work, { actor: 'operator', request_id: '' }, present, changed, reset);
  work.commit();
  return viewOf(changed);
}

function userOf(work: Work, login: string): UserRecord | undefined {
  const id = findLogin(work.turn(), login);
  return id === undefined ? undefined : findUser(work.turn(), id);
}

function checked(wish: PersonWish): { email: string; password: string } {
  const result = person.safeParse(wish);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  throw new Error(`${issue.path.join('.')}: ${issue.message}`);
}
