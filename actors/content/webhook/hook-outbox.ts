/** Webhook deliveries of a tenant on their way to the courier, and the log of those that have ended. */
import { limits } from '#config/limits.ts';
import { Outbox, type Judged } from '#actors/host/outbox/outbox.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { MailOutcome } from '#actors/protocol/mail.ts';
import type { Delivery, DeliverySettled } from '#actors/protocol/webhook.ts';
import { partOf } from '../part.ts';
import { countOf, deleteRecord, deliveryRows, findRecord, putCount, putRecord, scanRecords } from './store.ts';
import type { DeliveryEntry, DeliveryRecord, Reader, Turn } from './store.ts';
import type { HookOutbox } from './row-watch.ts';
import { subscriptionsOf } from './wake.ts';

/** The outboxes of a thread's tenants. */
export function hookOutbox(pending: (tenantNo: number) => void): HookOutbox {
  const { webhookOutboxEntriesMax: entriesMax, webhookTakeMax: takeMax } = limits.content;
  const waiting = (reader: Reader): number => countOf(reader).waiting;
  const kind = { ...deliveryRows, entriesMax, takeMax, needsDefinitions: true, waiting, staged, judge, ended } as const;
  return new Outbox(kind, pending);
}

function staged(turn: Turn, taken: readonly DeliveryEntry[], dropped: number): void {
  const count = countOf(turn);
  putCount(turn, { ...count, waiting: count.waiting + taken.length, dropped: count.dropped + dropped });
}

/** Deliveries of a suspended subscription wait, and those whose secret the vault has not given yet; those of a deleted subscription end. */
function judge(work: Work, entry: DeliveryEntry): Judged<Delivery> {
  const hook = subscriptionsOf(work.activation).hook(entry.app, entry.hook);
  if (hook === undefined) return 'ended';
  const secret = hook.active ? partOf(work.activation).secrets.known(hook.secret) : null;
  return secret === null ? 'waits' : () => deliveryOf(work, entry, { ...hook, secret });
}

type Hook = Pick<Delivery, 'url' | 'secret' | 'headers' | 'timeoutMs' | 'name'>;

function deliveryOf(work: Work, entry: DeliveryEntry, { url, secret, headers, timeoutMs, name }: Hook): Delivery {
  const { tenantNo, position } = work.activation;
  const { id, event, entity, space, type, documents, at, trace } = entry;
  const body = { event, tenant: position.key, timestamp: at, data: { entity, space, type, event, documents } };
  return {
    tenantNo,
    id,
    url,
    name,
    event,
    tenant: position.key,
    secret,
    headers,
    body: JSON.stringify(body),
    timeoutMs,
    ...(trace !== undefined && { trace }),
  };
}

const OUTCOMES: Readonly<Record<MailOutcome, DeliveryRecord['outcome']>> = {
  sent: 'delivered',
  refused: 'refused',
  given_up: 'failed',
  expired: 'dropped',
  dropped: 'dropped',
};

const GONE = { outcome: 'dropped', attempts: 0, status: null, error: 'no such webhook' } as const;

/** Moves a delivery into the log, which drops its oldest records. */
function ended(work: Work, entry: DeliveryEntry, answer: DeliverySettled | null): void {
  const turn = work.turn();
  const { clock, log } = work.activation.context;
  const count = countOf(turn);
  const ending = answer === null ? GONE : endingOf(answer);
  const again = findRecord(turn, entry.id) !== undefined;
  const { trace: _trace, ...told } = entry;
  putRecord(turn, { ...told, ...ending, ended_at: timestamp(clock.now()) });
  let logged = count.logged + (again ? 0 : 1);
  for (const { id } of logged > limits.content.webhookLogEntriesMax ? scanRecords(turn, false) : []) {
    deleteRecord(turn, id);
    if (--logged <= limits.content.webhookLogEntriesMax) break;
  }
  putCount(turn, { ...count, waiting: Math.max(0, count.waiting - 1), logged });
  if (ending.outcome === 'delivered') return;
  const { id, app, hook } = entry;
  const url = subscriptionsOf(work.activation).hook(app, hook)?.url;
  const host = url === undefined ? null : URL.parse(url)?.host;
  const facts = { service: 'content', tenant: work.activation.position.key, delivery: id, app, hook, host, ...ending };
  log.warn(facts, 'a webhook was not delivered and is not tried again: check its receiver, then redeliver it');
}

function endingOf({ outcome, attempts, status, error }: DeliverySettled) {
  return { outcome: OUTCOMES[outcome], attempts, status, error };
}
