/** Keeps a user's families few: those that ended go, and beyond the bound the oldest. */
import { limits } from '#config/limits.ts';
import { deleteFamily, readFamilies } from './store.ts';
import type { Turn } from './store.ts';

/** Makes room for one more family. One login takes a bounded number away, so that its turn stays short. */
export function sweepFamilies(turn: Turn, user: string, nowMs: number): void {
  const families = readFamilies(turn, user);
  const surplus = families.length + 1 - limits.identity.refreshFamiliesMax;
  const past = families.filter(({ ended_at, expires_at }) => ended_at !== null || Date.parse(expires_at) <= nowMs);
  const ended = past.slice(0, limits.identity.refreshSweepMax);
  for (const family of ended) deleteFamily(turn, family);
  const live = families.filter((family) => !ended.includes(family));
  for (const family of live.slice(0, Math.max(0, surplus - ended.length))) deleteFamily(turn, family);
}
