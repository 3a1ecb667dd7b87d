/** Adds the users of before the index to it (../index-build.ts). Entries of users who changed meanwhile are right already, and stay so. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Identity } from '../identity.ts';
import { IndexBuild } from '../index-build.ts';
import { usersFrom, type Turn } from '../store.ts';
import { indexProgress, keepIndex, putIndexProgress } from './store.ts';

const BUILD = new IndexBuild('index of users', addSlice);

/** Null when the index has every user, else a promise of that: after it the caller takes a new turn. */
export function indexReady(identity: Identity, activation: Activation): Promise<void> | null {
  return BUILD.ready(identity, activation);
}

function addSlice(turn: Turn): boolean {
  const progress = indexProgress(turn);
  if (progress?.after === null) return true;
  const last = progress?.after ?? '';
  let after: string | null = null;
  let taken = 0;
  for (const user of usersFrom(turn, last)) {
    if (user.id === last) continue;
    if (taken === limits.people.indexSliceRows) break;
    keepIndex(turn, undefined, user);
    after = user.id;
    taken++;
  }
  const isLast = taken < limits.people.indexSliceRows;
  putIndexProgress(turn, { after: isLast ? null : after });
  return isLast;
}
