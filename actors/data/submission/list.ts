/**
 * Pages of a tenant's submissions for its administrators (docs/contract/triggers.md §7.4). What it may cost: a page ends at its limit, at its characters, or
 * where looking took its time, so that filters that find nothing hold no turn.
 */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import { triggersOf } from '../trigger/part.ts';
import { scanNewest, scanOldest, type StoredSubmission, type SubmissionOutcome } from './store.ts';

export interface SubmissionWish {
  readonly form: string | null;
  readonly outcome: SubmissionOutcome | null;
  /** Received at or after, and before, in milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The last submission of the page before, which is not shown again; null for the first page. */
  readonly behind: string | null;
  readonly limit: number;
}

/** A submission as it is shown: the address and the end of its time are how the tenant keeps it. */
export type ShownSubmission = Omit<StoredSubmission, 'person' | 'until_ms' | 'fields'> & {
  readonly fields: Record<string, string | number | boolean>;
};

export interface SubmissionPage {
  readonly submissions: ShownSubmission[];
  /** Where the next page goes on; null at the end. */
  readonly next: string | null;
}

export function newestSubmissions(work: Work, wish: SubmissionWish): SubmissionPage {
  return pageOf(work, wish, scanNewest(work.turn(), wish.behind));
}

export function oldestSubmissions(work: Work, wish: SubmissionWish): SubmissionPage {
  return pageOf(work, wish, scanOldest(work.turn(), wish.behind ?? ''));
}

function pageOf(work: Work, wish: SubmissionWish, found: Iterable<StoredSubmission>): SubmissionPage {
  const { pageCharsMax, pageReadMsMax: sliceReadMsMax, pageScanMax: sliceRowsMax } = limits.submissions;
  const budget = new Budget(work.activation.context.clock, { sliceReadMsMax, sliceRowsMax });
  const submissions: ShownSubmission[] = [];
  let last: string | null = null;
  let chars = 0;
  for (const one of found) {
    if (one.id === wish.behind) continue;
    if (submissions.length === wish.limit || chars > pageCharsMax || (last !== null && budget.look()))
      return { submissions: withAttempts(work, submissions), next: last };
    budget.count();
    last = one.id;
    if (!fits(work, wish, one)) continue;
    submissions.push(shown(one));
    chars += JSON.stringify(one.fields).length;
  }
  return { submissions: withAttempts(work, submissions), next: null };
}

/** One past its time is gone, also before it is deleted. */
function fits({ now }: Work, wish: SubmissionWish, one: StoredSubmission): boolean {
  if ((one.until_ms ?? Infinity) <= now) return false;
  if (wish.form !== null && one.form !== wish.form) return false;
  if (wish.outcome !== null && one.outcome !== wish.outcome) return false;
  const receivedMs = Date.parse(one.received_at);
  return receivedMs >= wish.fromMs && receivedMs < wish.toMs;
}

function shown({ person: _person, until_ms: _until, fields, ...one }: StoredSubmission): ShownSubmission {
  return { ...one, fields: { ...fields } };
}

/** Attempts and the last error of a trigger that has yet to run again are in its event. */
function withAttempts(work: Work, submissions: ShownSubmission[]): ShownSubmission[] {
  const { script } = triggersOf(work.activation).sinks.outbox;
  return submissions.map((one) => {
    const event = one.outcome === 'waiting' ? script.find(work.turn(), one.id) : undefined;
    return event === undefined ? one : { ...one, attempts: event.attempts ?? 0, error: event.error ?? null };
  });
}
