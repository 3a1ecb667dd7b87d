/** `user list|show|remove`: an operator sees the users of a tenant or a plane, and deletes one. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { erasureReady } from '../account/erase-user.ts';
import type { Identity } from '../identity.ts';
import { linksReady } from '../oauth/build-links.ts';
import { indexReady } from '../people/build-index.ts';
import type { Cursor } from '../people/cursor.ts';
import { detailOf } from '../people/detail.ts';
import { pageOf } from '../people/list-users.ts';
import { stageRemoval } from '../people/remove-user.ts';
import type { UserDetail, UserView } from '../people/shapes.ts';
import { folded } from '../people/store.ts';
import { viewOf } from '../people/view.ts';
import { findUserNamed, type UserRecord } from '../store.ts';

export interface UserPageView {
  readonly users: readonly UserView[];
  /** The `after` of the next page; null on the last one. */
  readonly next: Cursor | null;
}

export interface ListWish {
  readonly search: string | null;
  readonly after: Cursor | null;
}

/** One page of the tenant's users; with `search` those whose address or name begins so. */
export async function listTenantUsers(
  identity: Identity,
  work: Work,
  { search, after }: ListWish,
): Promise<UserPageView> {
  if (search !== null) await indexReady(identity, work.activation);
  const start = search === null ? null : folded(search);
  const { users, next } = pageOf(work.nextTurn(), { start, limit: limits.people.pageRowsMax, after });
  return { users: users.map(viewOf), next };
}

/** One user by login or id. Throws an error for the operator when there is none. */
export async function showTenantUser(
  identity: Identity,
  work: Work,
  { user }: { readonly user: string },
): Promise<UserDetail> {
  await linksReady(identity, work.activation);
  const turn = work.nextTurn();
  return detailOf(turn, userOf(work, user));
}

/** Deletes a user at once. An operator may delete the last administrator, and can make another one. */
export async function removeTenantUser(
  identity: Identity,
  work: Work,
  { user }: { readonly user: string },
): Promise<{ removed: string }> {
  await erasureReady(identity, work);
  const found = userOf(work, user);
  stageRemoval(identity, work, { actor: 'operator', request_id: '' }, found);
  work.commit();
  return { removed: found.id };
}

function userOf(work: Work, user: string): UserRecord {
  const found = findUserNamed(work.turn(), user);
  if (found === undefined) throw new Error(`no user ${user} in ${work.activation.position.key}`);
  return found;
}
