/**
 * Submissions arrive at their tenant: each is kept under its id, with the event of the trigger that is about its form, in one commit. What intake hands over
 * twice is there once. A tenant that cannot take them now throws, and they wait at intake (docs/contract/intake.md §3.6).
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { TenantSubmission } from '#actors/protocol/submission.ts';
import { triggerOfForm, triggersOf } from '../trigger/part.ts';
import { submittedEntry } from '../trigger/submitted.ts';
import { addSubmission, findSubmission, keptOf, type SubmissionEnd, type Turn } from './store.ts';

const KEPT: SubmissionEnd = { outcome: 'kept', attempts: 0, error: null, ended_at: null };
const WAITING: SubmissionEnd = { ...KEPT, outcome: 'waiting' };
const FULL = 'too many submissions of the form waited for their trigger: retry this one when some have run';

/** Keeps them, all or none. Throws while the tenant is read-only, has no usable definitions, or keeps as many as it may. */
export function takeSubmissions(
  work: Work,
  { submissions }: { readonly submissions: readonly TenantSubmission[] },
): null {
  const { activation } = work;
  const { keptMax } = limits.submissions;
  if (activation.withheld !== undefined) throw new Error('the definitions of the tenant cannot be used');
  if (activation.standing?.isReadOnly === true) throw new Error('the tenant is read-only');
  const turn = work.turn();
  const fresh = submissions.filter(
    ({ id, until_ms: untilMs }) => findSubmission(turn, id) === undefined && (untilMs ?? Infinity) > work.now,
  );
  if (keptOf(turn) + fresh.length > keptMax)
    throw new Error(`the tenant keeps ${keptMax} submissions: give its forms a retention, or a shorter one`);
  const dropped = new Map<string, number>();
  for (const submission of fresh) {
    const trigger = triggerOfForm(activation, submission.form)?.name;
    const end = trigger === undefined ? KEPT : stage(work, turn, trigger, submission.id);
    if (end.outcome === 'dropped') dropped.set(trigger!, (dropped.get(trigger!) ?? 0) + 1);
    addSubmission(turn, { ...submission, ...end });
  }
  for (const [trigger, number] of dropped) warn(activation, trigger, number);
  // The runner looks at retentions, too.
  work.onEnd((newest) => {
    if (newest !== null) triggersOf(activation).sinks.scriptsSoon();
  });
  return null;
}

function stage(work: Work, turn: Turn, trigger: string, id: string): SubmissionEnd {
  const { script } = triggersOf(work.activation).sinks.outbox;
  const dropped = script.stage(turn, [submittedEntry(work, trigger, id)], trigger);
  return dropped === 0 ? WAITING : { ...KEPT, outcome: 'dropped', error: FULL, ended_at: timestamp(work.now) };
}

function warn({ context, position }: Activation, trigger: string, dropped: number): void {
  context.log.warn(
    { service: 'data', tenant: position.key, trigger, dropped },
    'too many submissions of a form wait: the newest are kept and run no trigger; see why it fails, and retry them',
  );
}
