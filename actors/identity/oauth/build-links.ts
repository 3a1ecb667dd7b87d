/** Adds the links of before their index to it (../index-build.ts). A link of a user who is gone, as older versions left them, is deleted. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Identity } from '../identity.ts';
import { IndexBuild } from '../index-build.ts';
import { findUser } from '../store.ts';
import { deleteLink, indexLink, linkProgress, linksFrom, putLinkProgress } from './store.ts';
import type { Link, LinkKey, Turn } from './store.ts';

const BUILD = new IndexBuild('index of links to providers', addSlice);

/** Null when the index has every link, else a promise of that: after it the caller takes a new turn. */
export function linksReady(identity: Identity, activation: Activation): Promise<void> | null {
  return BUILD.ready(identity, activation);
}

function addSlice(turn: Turn): boolean {
  const progress = linkProgress(turn);
  if (progress?.after === null) return true;
  const slice = sliceAfter(turn, progress?.after ?? null);
  if (slice.length === 0 && progress === undefined) return true; // nothing to note: links that come are indexed as they are written
  for (const { key, record } of slice) {
    if (findUser(turn, record.user_id) === undefined) deleteLink(turn, key);
    else indexLink(turn, key, record.user_id);
  }
  const isLast = slice.length < limits.people.indexSliceRows;
  putLinkProgress(turn, { after: isLast ? null : slice.at(-1)!.key });
  return isLast;
}

/** Read as a whole before anything is staged: the scan is over when the table changes. */
function sliceAfter(turn: Turn, after: LinkKey | null): Link[] {
  const slice: Link[] = [];
  for (const link of linksFrom(turn, after)) {
    if (after !== null && isSame(link.key, after)) continue;
    slice.push(link);
    if (slice.length === limits.people.indexSliceRows) break;
  }
  return slice;
}

const isSame = (a: LinkKey, b: LinkKey): boolean =>
  a.provider === b.provider && a.issuer === b.issuer && a.sub === b.sub;
