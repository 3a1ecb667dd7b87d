/** A trigger of a product, as the services see it. Shapes: docs/contract/triggers.md §1. */
import type { Place } from '../problem.ts';
import type { Secret } from '../reference-name.ts';
import type { CronSchedule } from './cron.ts';

/** What may happen to a row. */
export const TRIGGER_EVENTS = ['created', 'updated', 'deleted', 'restored'] as const;
export type TriggerEvent = (typeof TRIGGER_EVENTS)[number];

export interface WebhookTarget {
  readonly kind: 'webhook';
  readonly url: string;
  readonly secret: Secret;
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface MailTarget {
  readonly kind: 'mail';
  /** The field of the row that holds the address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly button: string | null;
  readonly html: string | null;
}

export interface ScriptTarget {
  readonly kind: 'script';
  /** The role of the product's catalogue that it runs as. */
  readonly role: string;
  readonly source: string;
  readonly sourceAt: Place;
  /** The action that the source calls, where the definition names one instead of a script. */
  readonly action?: string;
  /** The row that a submission becomes, where the definition names one instead of a script. */
  readonly row?: RowOfSubmission;
}

export interface RowOfSubmission {
  readonly entity: string;
  /** Which field of the entity has the value of which field of the form; `$id` and `$received_at` are the submission's. */
  readonly fields: Readonly<Record<string, string>>;
}

export type TriggerTarget = WebhookTarget | MailTarget | ScriptTarget;
export type TriggerKind = TriggerTarget['kind'];

/** A condition on a change, with file, line and column for the room that compiles it. */
export interface TriggerCondition {
  readonly language: 'cel';
  readonly rule: string;
  readonly where: string;
}

interface AnyTrigger {
  /** That of its file. */
  readonly name: string;
  /** Fields of the row that leave with the event, besides its id. */
  readonly fields: readonly string[];
  readonly target: TriggerTarget;
  readonly where: string;
}

/** Changes of rows fire it. */
export interface RowTriggerDefinition extends AnyTrigger {
  readonly cron?: undefined;
  readonly form?: undefined;
  readonly entity: string;
  readonly events: readonly TriggerEvent[];
  /** An update fires it only when one of these fields has another value than before; null: any update does. */
  readonly changed: readonly string[] | null;
  readonly when?: TriggerCondition;
}

/** Times fire it. */
export interface CronTriggerDefinition extends AnyTrigger {
  readonly cron: CronSchedule;
  readonly form?: undefined;
  readonly target: ScriptTarget;
}

/** Submissions of a form of the tenant fire it (docs/contract/triggers.md §7). */
export interface FormTriggerDefinition extends AnyTrigger {
  readonly cron?: undefined;
  readonly form: string;
  readonly target: ScriptTarget;
}

export type TriggerDefinition = RowTriggerDefinition | CronTriggerDefinition | FormTriggerDefinition;

export const isCronTrigger = (trigger: TriggerDefinition): trigger is CronTriggerDefinition =>
  trigger.cron !== undefined;
export const isFormTrigger = (trigger: TriggerDefinition): trigger is FormTriggerDefinition =>
  trigger.form !== undefined;
export const isRowTrigger = (trigger: TriggerDefinition): trigger is RowTriggerDefinition =>
  !isCronTrigger(trigger) && !isFormTrigger(trigger);
