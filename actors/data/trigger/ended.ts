/** How an event of a trigger ends: counted when it succeeded, else kept in a log from which an administrator can repeat it. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { MailOutcome } from '#actors/protocol/mail.ts';
import { submissionEnded } from './submitted.ts';
import { countChange } from './counts.ts';
import { putRecord, type Ending, type TriggerEntry } from './store.ts';

const OUTCOMES: Readonly<Record<MailOutcome, Ending['outcome']>> = {
  sent: 'delivered',
  refused: 'refused',
  given_up: 'failed',
  expired: 'failed',
  dropped: 'dropped',
};

const GONE: Ending = {
  outcome: 'dropped',
  attempts: 0,
  status: null,
  error: 'it could not leave any more: it was dropped by hand, or its trigger, its row or its address is gone',
};

/** The courier's answer; null where the event could not leave any more. */
export function endingOf(
  answer: { outcome: MailOutcome; attempts?: number; status?: number | null; error?: string | null } | null,
): Ending {
  if (answer === null) return GONE;
  const { outcome, attempts = 0, status = null, error = null } = answer;
  return { outcome: OUTCOMES[outcome], attempts, status, error };
}

/** Stages the end of an event whose entry is deleted in this turn. */
export function endEvent(work: Work, entry: TriggerEntry, ending: Ending): void {
  const turn = work.turn();
  const { clock, log } = work.activation.context;
  const endedAt = timestamp(clock.now());
  if (entry.event === 'submitted') submissionEnded(turn, entry.id, ending, endedAt);
  if (ending.outcome === 'delivered') {
    countChange(work, entry.trigger, { waiting: -1, delivered: 1 });
    return;
  }
  countChange(work, entry.trigger, { waiting: -1, failed: 1 });
  const { trace: _trace, next_ms: _next, attempts: _attempts, error: _error, ...kept } = entry;
  const error = ending.error?.slice(0, limits.triggers.errorCharsMax) ?? null;
  const record = { ...kept, ...ending, outcome: ending.outcome, error, ended_at: endedAt };
  putRecord(turn, record, limits.triggers.logEntriesMax);
  const { id, trigger, kind, entity, event } = entry;
  const facts = { service: 'data', tenant: work.activation.position.key, id, trigger, kind, entity, event, ...ending };
  log.warn(
    facts,
    'an event of a trigger ended without success and is not tried again: mend its cause, then retry it under its id',
  );
}
