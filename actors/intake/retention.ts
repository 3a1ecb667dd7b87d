/** How long submissions are kept: as long as their form says, or for ever. Spec: docs/contract/intake.md §3.4. */
import { durationMs } from '#config/values/duration.ts';
import type { FormDefinition } from '#config/definitions/form.ts';
import type { Submission } from './submission.ts';

/** Milliseconds by form, without forms that keep for ever. */
export type Retentions = ReadonlyMap<string, number>;

/** How many rows of the database and whole files of the log were deleted. */
export interface Expired {
  readonly rows: number;
  readonly files: number;
}

/** A retention that is not positive counts as none: a slip must not empty a store. */
export function retentionsOf(forms: readonly FormDefinition[]): Retentions {
  const given = forms.map(({ id, retention }) => [id, retention === undefined ? 0 : durationMs(retention)] as const);
  return new Map(given.filter(([, ms]) => ms > 0));
}

/** Until when a submission is kept, in milliseconds since the epoch: at least `atLeastMs` after its arrival; Infinity for ever. */
export function keptUntilMs(
  { form, received_at }: Pick<Submission, 'form' | 'received_at'>,
  retentions: Retentions,
  atLeastMs = 0,
): number {
  const ms = retentions.get(form);
  return ms === undefined ? Infinity : Date.parse(received_at) + Math.max(ms, atLeastMs);
}
