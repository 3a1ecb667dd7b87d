/** The people that provisioning seeds and operators change: administrators, superadmins, who may be impersonated. */
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { hashPassword } from '#actors/kit/password.ts';
import type { PersonWish } from '#actors/protocol/node-verbs.ts';
import { SUPERADMIN_ROLES } from '../bootstrap.ts';
import { createUser } from '../create-user.ts';
import { commitAndTell, tell } from '../identity.ts';
import type { Identity } from '../identity.ts';
import { deleteTotp } from '../mfa/store.ts';
import { closeImpersonations, closeSessions } from '../session/follow-session.ts';
import { bootstrapUsed, closeBootstrap, findLogin, findUser, findUserNamed, putUser } from '../store.ts';
import type { UserRecord } from '../store.ts';
import { isRole, NO_ROLE } from './role.ts';
import { person } from './shapes.ts';

export interface EnsureWish extends PersonWish {
  readonly roles: readonly string[];
  /** A user who is there gets the password: nobody has seen the one that he has. */
  readonly replace?: boolean;
}

export interface Ensured {
  readonly id: string;
  readonly created: boolean;
}

/** A user of the work's tenant with this login: made, or left as he is but for what `replace` says. Throws on a bad address or password. */
export async function ensurePerson(identity: Identity, work: Work, wish: EnsureWish): Promise<Ensured> {
  const { email, password } = checked(wish);
  checkRoles(wish.roles);
  const before = userOf(work, email);
  if (before !== undefined && wish.replace !== true) return { id: before.id, created: false };
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

/** The caller over HTTP for whom the node does it; an operator at its command line has no other name. */
function byWhom({ by }: PersonWish): { readonly actor: string; readonly request_id: string } {
  return by ?? { actor: 'operator', request_id: '' };
}

/** The control plane's superadmin; from here on nobody else is the very first, so the bootstrap door closes with it. */
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
  /** Ends the second factor and its recovery codes: for a user who has lost the app. */
  readonly reset_second_factor?: boolean | undefined;
}

export type UserView = Pick<UserRecord, 'id' | 'email' | 'firstname' | 'lastname' | 'roles' | 'allow_impersonation'>;

/**
 * Sets what is given. A role that is taken away ends the user's sessions, impersonations included, at once: their tokens say what the
 * user no longer is. Tokens without a session keep their roles until they expire. A consent that is withdrawn ends the impersonations. Throws for people when there is no such user.
 */
export function setUser(
  identity: Identity,
  work: Work,
  { user, roles, allow_impersonation, reset_second_factor }: UserChange,
): UserView {
  const present = findUserNamed(work.turn(), user);
  checkRoles(roles ?? []);
  if (present === undefined) throw new Error(`no user ${user} in ${work.activation.position.key}`);
  const changed: UserRecord = {
    ...present,
    roles: roles ?? present.roles,
    allow_impersonation: allow_impersonation ?? present.allow_impersonation,
  };
  putUser(work.turn(), changed);
  if (!changed.allow_impersonation) closeImpersonations(identity, work, changed.id, 'consent_withdrawn');
  if (present.roles.some((role) => !changed.roles.includes(role))) demote(identity, work, changed.id);
  if (reset_second_factor === true) deleteTotp(work.turn(), changed.id);
  const { id, email, firstname, lastname } = changed;
  const data = { roles: changed.roles, allow_impersonation: changed.allow_impersonation };
  const reset = reset_second_factor === true ? { second_factor: 'reset' } : {};
  commitAndTell(identity, work, {
    action: 'auth.user.changed',
    actor: 'operator',
    target: id,
    data: { ...data, ...reset },
  });
  return { id, email, firstname, lastname, ...data };
}

function demote(identity: Identity, work: Work, user: string): void {
  closeSessions(identity, work, user, 'demoted');
  closeImpersonations(identity, work, user, 'demoted');
}

function userOf(work: Work, login: string): UserRecord | undefined {
  const id = findLogin(work.turn(), login);
  return id === undefined ? undefined : findUser(work.turn(), id);
}

/** Throws for people. Roles of before stay as they are. */
function checkRoles(roles: readonly string[]): void {
  const wrong = roles.find((role) => !isRole(role));
  if (wrong !== undefined) throw new Error(`"${wrong}" is no role: ${NO_ROLE}`);
}

function checked(wish: PersonWish): { email: string; password: string } {
  const result = person.safeParse(wish);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  throw new Error(`${issue.path.join('.')}: ${issue.message}`);
}
