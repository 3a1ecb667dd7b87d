/** What the node asks of a tenant's webhooks: to hand deliveries out, to note how they ended, to tell of them, to deliver again. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { MailOutcome } from '#actors/protocol/mail.ts';
import type { DeliveriesTaken, Delivery, DeliverySettled, DeliveryWish } from '#actors/protocol/webhook.ts';
import {
  countOf,
  deleteEntry,
  deleteRecord,
  findEntry,
  findRecord,
  hasEntries,
  putCount,
  putEntry,
  putRecord,
  scanEntries,
  scanRecords,
} from './store.ts';
import type { DeliveryCount, DeliveryEntry, DeliveryRecord, Store } from './store.ts';
import { partOf } from '../part.ts';
import { webhooksOf } from './wake.ts';

export const webhookAsks = {
  'hook.take': takeDeliveries,
  'hook.settle': settleDelivery,
  'hook.list': listDeliveries,
  'hook.redeliver': redeliver,
};

/** Oldest first. A suspended subscription's wait, and those whose secret the vault has not given yet; those of one that is gone end here. */
function takeDeliveries(work: Work, wish: DeliveryWish): DeliveriesTaken {
  const held = new Set(wish.except);
  const limit = Math.min(wish.limit, limits.content.webhookTakeMax);
  const turn = work.turn();
  const deliveries: Delivery[] = [];
  const gone: DeliveryEntry[] = [];
  let more = false;
  const outbox = webhooksOf(work.activation);
  const { subscriptions } = outbox;
  const { secrets } = partOf(work.activation);
  for (const entry of scanEntries(turn)) {
    if (held.has(entry.id)) continue;
    const hook = subscriptions.hook(entry.app, entry.hook);
    if (hook?.active === false) continue;
    if (deliveries.length === limit) {
      more = true;
      break;
    }
    if (hook === undefined) gone.push(entry);
    else {
      const secret = secrets.known(hook.secret);
      if (secret !== null) deliveries.push(deliveryOf(work, entry, { ...hook, secret }));
    }
  }
  for (const entry of gone)
    end(work, entry, { outcome: 'dropped', attempts: 0, status: null, error: 'no such webhook' });
  if (!more) outbox.emptied();
  return { deliveries, more };
}

type Hook = Pick<Delivery, 'url' | 'secret' | 'headers' | 'timeoutMs' | 'name'>;

function deliveryOf(work: Work, entry: DeliveryEntry, { url, secret, headers, timeoutMs, name }: Hook): Delivery {
  const { tenantNo, position } = work.activation;
  const { id, event, entity, space, type, documents, at } = entry;
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
  };
}

const OUTCOMES: Readonly<Record<MailOutcome, DeliveryRecord['outcome']>> = {
  sent: 'delivered',
  refused: 'refused',
  given_up: 'failed',
  expired: 'dropped',
  dropped: 'dropped',
};

function settleDelivery(work: Work, { id, outcome, attempts, status, error }: DeliverySettled): null {
  const entry = findEntry(work.turn(), id);
  if (entry === undefined) return null;
  end(work, entry, { outcome: OUTCOMES[outcome], attempts, status, error });
  return null;
}

type Ending = Pick<DeliveryRecord, 'outcome' | 'attempts' | 'status' | 'error'>;

/** Out of the outbox, into the log, whose oldest records make room. */
function end(work: Work, entry: DeliveryEntry, ending: Ending): void {
  const turn = work.turn();
  const { clock, log } = work.activation.context;
  const count = countOf(turn);
  deleteEntry(turn, entry.id);
  const again = findRecord(turn, entry.id) !== undefined;
  putRecord(turn, { ...entry, ...ending, ended_at: timestamp(clock.now()) });
  let logged = count.logged + (again ? 0 : 1);
  for (const { id } of logged > limits.content.webhookLogEntriesMax ? scanRecords(turn, false) : []) {
    deleteRecord(turn, id);
    if (--logged <= limits.content.webhookLogEntriesMax) break;
  }
  putCount(turn, { ...count, waiting: Math.max(0, count.waiting - 1), logged });
  if (ending.outcome === 'delivered') return;
  const { id, app, hook } = entry;
  const url = webhooksOf(work.activation).subscriptions.hook(app, hook)?.url;
  const host = url === undefined ? null : URL.parse(url)?.host;
  const facts = { service: 'content', tenant: work.activation.position.key, delivery: id, app, hook, host, ...ending };
  log.warn(facts, 'a webhook was not delivered');
}

export interface DeliveryList {
  readonly count: DeliveryCount;
  readonly deliveries: readonly object[];
}

interface ListWish {
  readonly outcome?: string | null;
  readonly limit?: number;
}

/** Those that wait, then those that have ended, newest first. */
function listDeliveries(work: Work, { outcome = null, limit = limits.content.pageRowsMax }: ListWish): DeliveryList {
  const turn = work.turn();
  const deliveries: object[] = [];
  if (outcome === null || outcome === 'waiting')
    for (const entry of scanEntries(turn)) {
      if (deliveries.length >= limit) break;
      deliveries.push({ ...entry, outcome: 'waiting' });
    }
  for (const record of outcome === 'waiting' ? [] : scanRecords(turn, true)) {
    if (deliveries.length >= limit) break;
    if (outcome === null || record.outcome === outcome) deliveries.push(record);
  }
  return { count: countOf(turn), deliveries };
}

/** Puts ended deliveries back into the outbox, under their own ids: one, or all that did not arrive. How many. */
function redeliver(work: Work, { id }: { readonly id?: string | null }): { readonly redelivered: number } {
  const turn = work.turn();
  const one = id === undefined || id === null ? undefined : findRecord(turn, id);
  if (typeof id === 'string' && one === undefined) throw new Error(`no ended delivery ${id}`);
  const records =
    one !== undefined ? [one] : [...scanRecords(turn, false)].filter(({ outcome }) => outcome !== 'delivered');
  const count = countOf(turn);
  const room = Math.max(0, limits.content.webhookOutboxEntriesMax - count.waiting);
  const again = records.slice(0, room);
  for (const record of again) {
    const {
      outcome: _outcome,
      attempts: _attempts,
      status: _status,
      error: _error,
      ended_at: _ended,
      ...entry
    } = record;
    deleteRecord(turn, record.id);
    putEntry(turn, entry);
  }
  putCount(turn, { ...count, waiting: count.waiting + again.length, logged: count.logged - again.length });
  const outbox = webhooksOf(work.activation);
  work.onEnd((newest) => (newest === null ? undefined : outbox.tell(newest)));
  return { redelivered: again.length };
}

/** Tells the node of deliveries that a crash left in the outbox, without waking the tenant. */
export function resumeWebhooks(store: Store, tenantNo: number, pending: (tenantNo: number) => void): void {
  const turn = store.begin();
  const waiting = hasEntries(turn);
  const { newest } = turn;
  turn.abort();
  if (waiting) store.whenDurable(newest, () => pending(tenantNo));
}
