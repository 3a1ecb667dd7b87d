/** Which forms a tenant has, as far as it can know, and how each does. Pure. */
import type { FormTrigger, Outcome, Submission, Trigger } from './shapes.ts';

/** What a reader has to know of a form first: something failed, something is under way, all went well, nothing follows, nothing came. */
export type FormState = 'faults' | 'waiting' | 'well' | 'kept' | 'empty';

export interface KnownForm {
  readonly id: string;
  /** Undefined where no trigger is about it: its submissions are kept. */
  readonly trigger: FormTrigger | undefined;
  readonly state: FormState;
  /** When the newest of the submissions that were looked at came. */
  readonly newest: string | null;
}

export const triggerOf = (triggers: readonly Trigger[], form: string): FormTrigger | undefined =>
  triggers.find((trigger): trigger is FormTrigger => trigger.form === form);

/**
 * Those that a trigger is about, and those of the newest submissions, by name. A form is declared by the operator of the node: one without either is not known to its tenant.
 * @param newest the newest first
 */
export function knownForms(triggers: readonly Trigger[], newest: readonly Submission[]): readonly KnownForm[] {
  const ids = new Set([...triggers.flatMap(({ form }) => form ?? []), ...newest.map(({ form }) => form)]);
  return [...ids].toSorted().map((id) => {
    const trigger = triggerOf(triggers, id);
    const ofForm = newest.filter(({ form }) => form === id);
    return { id, trigger, state: stateOf(trigger, ofForm), newest: ofForm[0]?.received_at ?? null };
  });
}

function stateOf(trigger: FormTrigger | undefined, newest: readonly Submission[]): FormState {
  const has = (...wanted: readonly Outcome[]): boolean => newest.some(({ outcome }) => wanted.includes(outcome));
  if (has('failed', 'dropped')) return 'faults';
  if (has('waiting')) return 'waiting';
  if (newest.length === 0 && (trigger?.delivered ?? 0) === 0) return 'empty';
  return trigger === undefined ? 'kept' : 'well';
}
