/** Bounds a user's families: deletes ended ones, and beyond the bound the oldest. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import type { Identity } from '../identity.ts';
import { deleteFamily, readFamilies, type RefreshFamilyRecord } from './store.ts';
import { closeSession, presentSid } from '../session/follow-session.ts';
import { sessionsOf } from '../session/tenant-sessions.ts';

/** Makes room for one more family. A login deletes a bounded number, so that its turn stays short. */
export function sweepFamilies(identity: Identity, work: Work, user: string, nowMs: number): void {
  const turn = work.turn();
  const families = readFamilies(turn, user);
  const surplus = families.length + 1 - familiesMax(work);
  const past = families.filter((family) => isOver(work, family, nowMs));
  const ended = past.slice(0, limits.identity.refreshSweepMax);
  for (const family of ended) deleteFamily(turn, family);
  const live = families.filter((family) => !ended.includes(family));
  for (const family of live.slice(0, Math.max(0, surplus - ended.length))) {
    if (family.sid !== null) closeSession(identity, work, family.sid, 'concurrent_evict');
    deleteFamily(turn, family);
  }
}

/** Not fewer than the sessions that the product allows: each of them must be able to refresh. */
function familiesMax(work: Work): number {
  return Math.max(limits.identity.refreshFamiliesMax, sessionsOf(work.activation).max);
}

function isOver(work: Work, { ended_at, expires_at, sid }: RefreshFamilyRecord, nowMs: number): boolean {
  return ended_at !== null || Date.parse(expires_at) <= nowMs || (sid !== null && presentSid(work, sid) === null);
}
