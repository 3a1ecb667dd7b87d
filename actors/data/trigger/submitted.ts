/** The event of a submission: it has the submission's id, and holds nothing else of it (docs/contract/triggers.md §7.2). */
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { endSubmission, findSubmission, type SubmissionOutcome } from '../submission/store.ts';
import { triggerOfForm } from './part.ts';
import type { Ending, TriggerEntry, Turn } from './store.ts';

export function submittedEntry(work: Work, trigger: string, id: string): TriggerEntry {
  const nothing = { entity: '', key: null, version: 0 } as const;
  return { id, trigger, kind: 'script', event: 'submitted', ...nothing, at: timestamp(work.now), depth: 1 };
}

/** Whether the submission of an event was erased, or is past its time: nothing is run for it. */
export function isGone(turn: Turn, { event, id }: TriggerEntry, nowMs: number): boolean {
  if (event !== 'submitted') return false;
  const found = findSubmission(turn, id);
  return found === undefined || (found.until_ms ?? Infinity) <= nowMs;
}

/** What a script is told of a submission. */
export function submittedData(turn: Turn, id: string): object | null {
  const found = findSubmission(turn, id);
  if (found === undefined) return null;
  const { form, received_at, fields } = found;
  return { form, received_at, fields };
}

const OUTCOMES: Readonly<Record<Ending['outcome'], SubmissionOutcome>> = {
  delivered: 'delivered',
  refused: 'failed',
  failed: 'failed',
  dropped: 'dropped',
};

/** The event of a submission has ended in this turn. */
export function submissionEnded(turn: Turn, id: string, { outcome, attempts, error }: Ending, endedAt: string): void {
  endSubmission(turn, id, { outcome: OUTCOMES[outcome], attempts, error, ended_at: endedAt });
}

/** The event of a submission waits again. */
export function submissionWaits(turn: Turn, id: string): void {
  endSubmission(turn, id, { outcome: 'waiting', attempts: 0, error: null, ended_at: null });
}

/** The event of a submission that has none: its trigger is the one that its form has now. Null where it needs none, or has none. */
export function entryAnew(work: Work, id: string): TriggerEntry | null {
  const found = findSubmission(work.turn(), id);
  if (found === undefined || found.outcome === 'delivered') return null;
  const trigger = triggerOfForm(work.activation, found.form);
  return trigger === undefined ? null : submittedEntry(work, trigger.name, id);
}
