/** The signing keys that still verify: an old key does until the last token that it signed has expired (docs/contract/identity.md §3.3). Pure. */
import { limits } from '#config/limits.ts';
import { instantMs } from '#config/values/instant.ts';
import type { KeyRecord } from '#actors/kit/token/ring.ts';

const LIFE_MS = (limits.identity.tokenSecondsMax + limits.identity.ringMarginSeconds) * 1000;

/**
 * The newest key of each issuer, which signs, and earlier keys that signed until less than the longest life of a token ago. A key signs until the
 * next one is made; the margin is for threads that learn of the next key a moment later.
 */
export function livingKeys(records: readonly KeyRecord[], nowMs: number): KeyRecord[] {
  return records.filter((record) => nowMs < endOfLife(record, records));
}

/** When the last token that a key signed expires; Infinity for the key that signs. */
export function endOfLife(record: KeyRecord, records: readonly KeyRecord[]): number {
  return successorMs(record, records) + LIFE_MS;
}

/** When the next key of the same issuer was made; Infinity when none was. */
function successorMs(record: KeyRecord, records: readonly KeyRecord[]): number {
  let soonest = Infinity;
  for (const { issuer, created_at } of records) {
    if (issuer !== record.issuer || created_at <= record.created_at) continue;
    soonest = Math.min(soonest, instantMs(created_at));
  }
  return soonest;
}
