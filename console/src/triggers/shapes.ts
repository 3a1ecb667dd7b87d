/** Triggers of a tenant and their events that wait or ended without success: docs/contract/triggers.md §4. */
export const OUTCOMES = ['waiting', 'refused', 'failed', 'dropped'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type Kind = 'webhook' | 'mail' | 'script';
type RowEvent = 'created' | 'updated' | 'deleted' | 'restored';

export interface Trigger {
  readonly name: string;
  readonly kind: Kind;
  /** Null of a trigger that is about times or about submissions. */
  readonly entity: string | null;
  readonly events: readonly RowEvent[];
  readonly role: string | null;
  readonly action: string | null;
  readonly cron: string | null;
  readonly timezone: string | null;
  readonly next_at: string | null;
  readonly form: string | null;
  readonly row: { readonly entity: string } | null;
  readonly waiting: number;
  readonly delivered: number;
  readonly failed: number;
  readonly dropped: number;
}

export interface TriggerEvent {
  readonly id: string;
  readonly trigger: string;
  readonly kind: Kind;
  readonly entity: string | null;
  readonly event: RowEvent | 'due' | 'submitted';
  /** The row's id. */
  readonly key: string | null;
  readonly version: number;
  readonly due: string | null;
  readonly at: string;
  readonly outcome: Outcome;
  readonly attempts: number;
  /** Of the receiver's last answer. */
  readonly status: number | null;
  readonly error: string | null;
  readonly next_at: string | null;
  readonly ended_at: string | null;
}
