/** One person in submissions: forms declare which field holds the e-mail address (`person: <field>`), and nothing is guessed. */
import type { FormDefinition } from '#config/definitions/form.ts';
import { foldedAddress } from '#actors/protocol/submission.ts';
import type { Submission } from '../submission.ts';

export interface Person {
  /** As `foldedAddress` gives it. */
  readonly address: string;
  /** The field with the address by form, without forms that declare none. */
  readonly fields: ReadonlyMap<string, string>;
}

export function personIn(forms: Iterable<FormDefinition>, address: string): Person {
  const fields = new Map<string, string>();
  for (const { id, person } of forms) if (person !== undefined) fields.set(id, person);
  return { address: foldedAddress(address), fields };
}

/** Whether the submission has the person's address in the field that its form declares. */
export function isFrom({ address, fields }: Person, submission: Pick<Submission, 'form' | 'fields'>): boolean {
  const field = fields.get(submission.form);
  const value = field === undefined ? undefined : submission.fields[field];
  return typeof value === 'string' && foldedAddress(value) === address;
}

/** A submission as an export shows it: files by name, type and size. */
export function shownToPerson({ form, id, received_at, fields }: Submission): object {
  const shown = Object.entries(fields).map(([name, value]) => {
    if (typeof value !== 'object') return [name, value];
    return [name, { name: value.name, content_type: value.content_type, size: value.size }];
  });
  return { form, id, received_at, fields: Object.fromEntries(shown) as object };
}
