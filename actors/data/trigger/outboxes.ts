/** The outboxes of a thread's triggers: webhooks and mails leave the node by main's relays, scripts run here (run-scripts.ts). */
import { limits } from '#config/limits.ts';
import { Outbox, type Judged } from '#actors/host/outbox/outbox.ts';
import type { Work } from '#actors/host/work.ts';
import type { MailOutcome, Mail, MailSettled } from '#actors/protocol/mail.ts';
import type { Delivery, DeliverySettled } from '#actors/protocol/webhook.ts';
import { endEvent, endingOf } from './ended.ts';
import { mailOf } from './mail-of.ts';
import { countNew, countOf, workOf } from './counts.ts';
import { eventRows, type TriggerEntry, type Turn } from './store.ts';
import { deliveryOf } from './delivery-of.ts';

export interface TriggerOutboxes {
  readonly webhook: Outbox<TriggerEntry, Delivery, DeliverySettled>;
  readonly mail: Outbox<TriggerEntry, Mail, MailSettled>;
  readonly script: Outbox<TriggerEntry, TriggerEntry, ScriptSettled>;
}

/** What became of an event's script. */
export interface ScriptSettled {
  readonly id: string;
  readonly outcome: MailOutcome;
  readonly attempts: number;
  readonly error: string | null;
}

export interface TriggerOutboxPorts {
  readonly hooksPending: (tenantNo: number) => void;
  /** Null where the node sends no mail: events for mails wait. */
  readonly mailPending: ((tenantNo: number) => void) | null;
}

export function triggerOutboxes({ hooksPending, mailPending }: TriggerOutboxPorts): TriggerOutboxes {
  const ended = (work: Work, entry: TriggerEntry, answer: DeliverySettled | MailSettled | ScriptSettled | null): void =>
    endEvent(work, entry, endingOf(answer));
  const { waitingMax: entriesMax, takeMax } = limits.triggers;
  const common = { entriesMax, takeMax, needsDefinitions: true, waiting, staged, ended } as const;
  return {
    webhook: new Outbox({ ...eventRows.webhook, ...common, judge: deliveryOf }, hooksPending),
    mail: new Outbox({ ...eventRows.mail, ...common, judge: mailOf }, (tenantNo) => mailPending?.(tenantNo)),
    script: new Outbox({ ...eventRows.script, ...common, judge: dueNow }, () => undefined),
  };
}

/** An event for a script leaves when its time has come; its runner judges the rest. */
function dueNow(work: Work, entry: TriggerEntry): Judged<TriggerEntry> {
  return (entry.next_ms ?? 0) <= work.now ? () => entry : 'waits';
}

const waiting = (turn: Turn, trigger: string): number => countOf(workOf(turn), trigger).waiting;

function staged(turn: Turn, taken: readonly TriggerEntry[], dropped: number, trigger: string): void {
  countNew(workOf(turn), trigger, taken, dropped);
}
