/** What `skep user export|erase` ask. No route reaches it. */
import type { Work } from '#actors/host/work.ts';
import { erasureReady } from '../account/erase-user.ts';
import type { Identity } from '../identity.ts';
import { findUserNamed } from '../store.ts';
import { kickErasures } from './erasures.ts';
import { viewOf } from './list-erasures.ts';
import { accountLines, keyLines, linkLines, type Line } from './own-lines.ts';
import { stageOrder } from './order.ts';
import type { ErasureView } from './shapes.ts';
import { findErasure } from './store.ts';

export interface OwnPart {
  readonly user: string;
  readonly email: string;
  readonly lines: readonly Line[];
}

/** Identity's part of an export; main asks the other services for theirs. Throws an error for the operator. */
export async function exportOwnPart(
  identity: Identity,
  work: Work,
  { user }: { readonly user: string },
): Promise<OwnPart> {
  const found = userOf(work, user);
  const lines = accountLines(work, found);
  for (let after: string | null = null, more = true; more;) {
    const slice = keyLines(work, found.id, after);
    lines.push(...slice.lines);
    after = slice.next;
    more = after !== null;
    await identity.afterTurn();
    work.nextTurn();
  }
  for (let after: string | null = ''; after !== null;) {
    const slice = linkLines(work, found.id, after);
    lines.push(...slice.lines);
    after = slice.next;
    await identity.afterTurn();
    work.nextTurn();
  }
  return { user: found.id, email: found.email, lines };
}

/** An operator may erase the last administrator, and can make another one. */
export async function eraseAsOperator(
  identity: Identity,
  work: Work,
  { user }: { readonly user: string },
): Promise<ErasureView> {
  await erasureReady(identity, work);
  const found = userOf(work, user);
  const id = stageOrder(identity, work, { actor: 'operator', request_id: '' }, found, 'erased');
  const order = findErasure(work.turn(), id)!;
  work.commit();
  kickErasures(identity, work.activation);
  return viewOf(order);
}

/** How far an erasure is; null where it is not known. */
export function showErasure(work: Work, { id }: { readonly id: string }): ErasureView | null {
  const order = findErasure(work.turn(), id);
  return order === undefined ? null : viewOf(order);
}

function userOf(work: Work, user: string) {
  const found = findUserNamed(work.turn(), user);
  if (found === undefined) throw new Error(`no user ${user} in ${work.activation.position.key}`);
  return found;
}
