/** Submissions of a tenant's forms, as it keeps them, by id and by the end of their time (docs/contract/triggers.md §7.3). */
import { TABLES } from '#storage/catalogue.ts';
import type { Reader, Store, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';
import type { TenantSubmission } from '#actors/protocol/submission.ts';

export type { Reader, Turn } from '#storage/port.ts';

export const SUBMISSION_OUTCOMES = ['kept', 'waiting', 'delivered', 'failed', 'dropped'] as const;
export type SubmissionOutcome = (typeof SUBMISSION_OUTCOMES)[number];

/** What became of a submission. */
export interface SubmissionEnd {
  readonly outcome: SubmissionOutcome;
  readonly attempts: number;
  readonly error: string | null;
  readonly ended_at: string | null;
}

export type StoredSubmission = TenantSubmission & SubmissionEnd;

interface Until {
  readonly id: string;
  readonly until_ms: number;
}

const inbox = new Table<StoredSubmission>('submission_inbox', TABLES.submission_inbox);
const untils = new Table<Until>('submission_until', TABLES.submission_until);
const count = new Table<number>('submission_count', TABLES.submission_count);

export const keptOf = (reader: Reader): number => count.get(reader, 'current') ?? 0;

export const findSubmission = (reader: Reader, id: string): StoredSubmission | undefined => inbox.get(reader, id);

/** Adds a submission that is not there. */
export function addSubmission(turn: Turn, submission: StoredSubmission): void {
  const { id, until_ms: untilMs } = submission;
  inbox.put(turn, submission, id);
  if (untilMs !== null) untils.put(turn, { id, until_ms: untilMs }, untilMs, id);
  count.put(turn, keptOf(turn) + 1, 'current');
}

/** Says what became of a submission; one that is gone stays gone. */
export function endSubmission(turn: Turn, id: string, end: SubmissionEnd): void {
  const found = findSubmission(turn, id);
  if (found !== undefined) inbox.put(turn, { ...found, ...end }, id);
}

export function removeSubmission(
  turn: Turn,
  { id, until_ms: untilMs }: Pick<StoredSubmission, 'id' | 'until_ms'>,
): void {
  inbox.del(turn, id);
  if (untilMs !== null) untils.del(turn, untilMs, id);
  count.put(turn, Math.max(0, keptOf(turn) - 1), 'current');
}

/** Newest first, from below an id; from the newest one without. Leave it by for-of. */
export const scanNewest = (reader: Reader, before: string | null): IterableIterator<StoredSubmission> =>
  inbox.scanBack(reader, before === null ? [] : [before]);

/** Oldest first, from an id on, that one included. Leave it by for-of. */
export const scanOldest = (reader: Reader, from: string): IterableIterator<StoredSubmission> =>
  inbox.scanFrom(reader, [from]);

/** Submissions past their time, the first ones, at most `most`; and when the next one is, null where none is. */
export function dueSubmissions(
  reader: Reader,
  nowMs: number,
  most: number,
): { readonly due: readonly Until[]; readonly nextMs: number | null } {
  const due: Until[] = [];
  for (const one of untils.scan(reader)) {
    if (one.until_ms > nowMs || due.length === most) return { due, nextMs: one.until_ms };
    due.push(one);
  }
  return { due, nextMs: null };
}

/** When the first submission of a tenant is past its time, as its store tells without definitions; null for never. */
export function firstUntilMs(store: Store): number | null {
  const turn = store.begin();
  const first = untils.first(turn);
  turn.abort();
  return first?.until_ms ?? null;
}
