/**
 * What becomes of a handoff (docs/contract/data-admin.md §5.3):
 *
 *     retention ──▶ pending ──claim──▶ claimed ──confirm──▶ confirmed ──▶ retention deletes the row
 *                      ▲                 │  └──confirm, failed──▶ failed
 *                      │      an hour    ▼                          │
 *                      └── may be claimed again      next archive phase: pending
 */
import { limits } from '#config/limits.ts';
import { getHandoff, handoffCounts, handoffOf, oldestQueued, putHandoff, queuedIn } from './store.ts';
import type { HandoffRecord, HandoffStatus, Reader, Turn } from './store.ts';

/** A row that is to go to an archive elsewhere. */
export interface Leaving {
  readonly entity: string;
  readonly row_pk: string | number;
  readonly version: number;
  readonly target_name: string;
  readonly target_type: string;
}

/** Stages a handoff, unless this version of the row has one that has not failed. True where it staged one. */
export function offer(turn: Turn, nowMs: number, id: () => string, row: Leaving): boolean {
  const before = handoffOf(turn, row.entity, row.row_pk, row.version);
  if (before !== undefined && before.status !== 'failed') return false;
  const empty = { claimer_id: '', target_location: '', checksum: '', error: '' };
  const handoff_id = before?.handoff_id ?? id();
  putHandoff(turn, before, { ...row, ...empty, handoff_id, status: 'pending', since_ms: nowMs });
  return true;
}

export interface ClaimWish {
  /** '' for every target, every entity. */
  readonly target: string;
  readonly entity: string;
  readonly limit: number;
  readonly claimer: string;
}

/** Stages claims, the oldest handoffs first: pending ones, then those claimed longer ago than `handoff.claimMs`, whose claimers count as gone. */
export function claim(turn: Turn, nowMs: number, { target, entity, limit, claimer }: ClaimWish): HandoffRecord[] {
  const claimed: HandoffRecord[] = [];
  const take = (status: HandoffStatus, before: number): void => {
    for (const record of inBuckets(turn, { target, entity, status }, limit - claimed.length, before)) {
      const taken: HandoffRecord = { ...record, status: 'claimed', since_ms: nowMs, claimer_id: claimer };
      putHandoff(turn, record, taken);
      claimed.push(taken);
    }
  };
  take('pending', Infinity);
  if (claimed.length < limit) take('claimed', nowMs - limits.handoff.claimMs);
  return claimed;
}

interface Bucket {
  readonly target: string;
  readonly entity: string;
  readonly status: HandoffStatus;
}

function inBuckets(turn: Turn, { target, entity, status }: Bucket, limit: number, before: number): HandoffRecord[] {
  const found: HandoffRecord[] = [];
  for (const bucket of bucketsOf(turn, { target, entity, status })) {
    let seen = 0;
    for (const id of queuedIn(turn, bucket)) {
      if (found.length >= limit || seen++ >= limits.handoff.claimRowsMax) break;
      const record = getHandoff(turn, id)!;
      if (record.since_ms <= before) found.push(record);
    }
  }
  return found;
}

/** Buckets that are not empty and match a filter ('' matches all). */
export function bucketsOf(
  reader: Reader,
  filter: { readonly target: string; readonly entity: string; readonly status: HandoffStatus | '' },
) {
  const fits = (wanted: string, value: string): boolean => wanted === '' || wanted === value;
  return [...handoffCounts(reader)].filter(
    ({ entity, target_name, status, count }) =>
      count > 0 && fits(filter.entity, entity) && fits(filter.target, target_name) && fits(filter.status, status),
  );
}

export interface Confirmation {
  readonly handoff_id: string;
  readonly target_location: string;
  readonly checksum: string;
  readonly failed: boolean;
  readonly error: string;
}

/** Stages the archive's answer for one handoff; `unknown` where no claim has the id. Repeating an answer changes nothing. */
export function confirm(turn: Turn, nowMs: number, answer: Confirmation): 'confirmed' | 'failed' | 'unknown' {
  const before = getHandoff(turn, answer.handoff_id);
  if (before === undefined || before.status === 'pending') return 'unknown';
  const status = answer.failed ? 'failed' : 'confirmed';
  // A confirmed handoff stays confirmed: the row may be gone by now.
  if (before.status === 'confirmed') return 'confirmed';
  const { target_location, checksum, error } = answer;
  if (before.status !== status)
    putHandoff(turn, before, { ...before, status, since_ms: nowMs, target_location, checksum, error });
  return status;
}

export interface PendingBucket {
  readonly entity: string;
  readonly target_name: string;
  readonly status: HandoffStatus;
  readonly count: number;
  readonly oldest_age_seconds: number;
}

/** Buckets with the age of the oldest handoff in each. */
export function pendingBuckets(
  reader: Reader,
  nowMs: number,
  filter: Parameters<typeof bucketsOf>[1],
): PendingBucket[] {
  return bucketsOf(reader, filter).map(({ entity, target_name, status, count }) => {
    const oldest = oldestQueued(reader, { entity, target_name, status });
    const since = oldest === undefined ? nowMs : getHandoff(reader, oldest)!.since_ms;
    const oldest_age_seconds = Math.max(0, Math.floor((nowMs - since) / 1000));
    return { entity, target_name, status, count, oldest_age_seconds };
  });
}
