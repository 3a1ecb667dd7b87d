/** Until when a guest is kept: each use moves the end on, with a write a day at most. */
import { limits } from '#config/limits.ts';
import { parseDuration } from '#config/values/duration.ts';
import { instantMs } from '#config/values/instant.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { UserRecord } from '../store.ts';
import { keptUntil, putGuest } from './store.ts';

/** How long a guest is kept without a use; the default where the product has no guests any more. */
export function keepMs({ activation }: Work): number {
  const keep = activation.product.settings.accounts?.guests?.keep;
  return (keep === undefined ? null : parseDuration(keep)) ?? limits.account.guestKeepMs;
}

/** Stages a use of a guest: a login, a refresh. Does nothing for other users. */
export function noteGuest(work: Work, { id, guest }: UserRecord): void {
  if (guest !== true) return;
  const until = work.now + keepMs(work);
  const before = keptUntil(work.turn(), id);
  if (before !== undefined && until - instantMs(before) < limits.account.guestNoteMs) return;
  putGuest(work.turn(), id, timestamp(until));
}
