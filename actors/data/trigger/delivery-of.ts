/** An event of a trigger as a webhook (docs/contract/triggers.md §3.1). Signing, attempts and the guard of receivers are the courier's. */
import type { WebhookTarget } from '#config/definitions/trigger-shapes.ts';
import type { Judged } from '#actors/host/outbox/outbox.ts';
import type { Work } from '#actors/host/work.ts';
import type { Delivery } from '#actors/protocol/webhook.ts';
import { triggerOf, triggersOf } from './part.ts';
import { rowNow, shownFields } from './row-now.ts';
import { submittedData } from './submitted.ts';
import type { TriggerEntry } from './store.ts';

/** Events whose secret the vault has not given yet wait; those of a trigger that is gone end. */
export function deliveryOf(work: Work, entry: TriggerEntry): Judged<Delivery> {
  const trigger = triggerOf(work.activation, entry);
  if (trigger === undefined) return 'ended';
  const target = trigger.target as WebhookTarget;
  const secret = triggersOf(work.activation).secrets.known(target.secret);
  return secret === null ? 'waits' : () => delivery(work, entry, { ...target, secret }, trigger.fields);
}

function delivery(
  work: Work,
  entry: TriggerEntry,
  { url, secret, headers, timeoutMs }: WebhookTarget & { readonly secret: string },
  fields: readonly string[],
): Delivery {
  const { tenantNo, position } = work.activation;
  const { id, trigger, trace } = entry;
  const event = `row.${entry.event}`;
  return {
    tenantNo,
    id,
    url,
    name: trigger,
    event,
    tenant: position.key,
    secret,
    headers,
    body: JSON.stringify(eventBody(work, entry, fields)),
    timeoutMs,
    ...(trace !== undefined && { trace }),
  };
}

/** What a receiver and a script are told. `row` is null for a row that is deleted by now. */
export function eventBody(work: Work, entry: TriggerEntry, fields: readonly string[]): object {
  const { id, trigger, entity, event, key, version, at, depth } = entry;
  const common = { id, trigger, tenant: work.activation.position.key, timestamp: at, depth };
  if (event === 'due') return { ...common, event: 'cron.due', data: { due: entry.due } };
  if (event === 'submitted') return { ...common, event: 'form.submitted', data: submittedData(work.turn(), id) };
  const now = event === 'deleted' ? null : rowNow(work, entry);
  const row = now === null ? null : shownFields(now, fields);
  const data = { entity, id: key, version, row };
  return { ...common, event: `row.${event}`, data };
}
