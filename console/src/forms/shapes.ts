/** Submissions of a tenant's forms and the triggers that are about them, as its administrator sees them: docs/contract/triggers.md §4, §7. */
export const OUTCOMES = ['kept', 'waiting', 'delivered', 'failed', 'dropped'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Submission {
  /** A ULID. */
  readonly id: string;
  readonly form: string;
  readonly received_at: string;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  readonly outcome: Outcome;
  readonly attempts: number;
  readonly error: string | null;
  readonly ended_at: string | null;
}

export interface SubmissionsPage {
  readonly submissions: readonly Submission[];
  /** Where the next page goes on; null at the end. */
  readonly next: string | null;
}

export interface Trigger {
  readonly name: string;
  readonly role: string | null;
  /** Null of a trigger that is about no submissions. */
  readonly form: string | null;
  /** The row that a submission becomes; null where a script decides. */
  readonly row: RowTarget | null;
  readonly delivered: number;
}

export interface RowTarget {
  readonly entity: string;
  /** Fields of the entity, each with the field of the form that gives its value; `$id` is the submission's id. */
  readonly fields: Readonly<Record<string, string>>;
}

export type FormTrigger = Trigger & { readonly form: string };
