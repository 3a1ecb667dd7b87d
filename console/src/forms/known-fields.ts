/** Names of a form's fields, as far as a tenant can know them, and the field of a row that says of which submission it is. Pure. */
import type { RowTarget, Submission, Trigger } from './shapes.ts';

/** Those that its trigger reads, then those of a submission. */
export function fieldsOf(trigger: Pick<Trigger, 'row'> | undefined, one: Submission | undefined): readonly string[] {
  const read = Object.values(trigger?.row?.fields ?? {}).filter((name) => !name.startsWith('$'));
  return [...new Set([...read, ...Object.keys(one?.fields ?? {})])];
}

/** Undefined where the row does not say it. */
export const idField = ({ fields }: Pick<RowTarget, 'fields'>): string | undefined =>
  Object.entries(fields).find(([, from]) => from === '$id')?.[0];

/** What stands where in a line of a list: the first values. */
export const gistOf = ({ fields }: Submission): string => Object.values(fields).map(String).join(' · ');
