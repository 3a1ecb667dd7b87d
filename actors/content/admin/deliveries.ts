/** GET /content/-/deliveries, POST /content/-/deliveries/{id}/redeliver: the webhooks' deliveries, and another try of one (docs/contract/content.md §8.4). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { isId, knownParameters, limitOf } from '../page.ts';
import { end } from '../refused.ts';
import { redeliverOne } from '../webhook/redeliver.ts';
import { countOf, scanRecordsBefore, type DeliveryEntry, type DeliveryRecord, type Turn } from '../webhook/store.ts';
import { outboxOf } from '../webhook/wake.ts';
import type { AdminRows } from './routes.ts';
import { OUTCOMES, type Outcomes, type ShownDelivery } from './shapes.ts';

/** Those that wait, oldest first, on the first page alone; then those that ended, newest first. */
export function listDeliveries(call: Call): Outcome<AdminRows['deliveries']> {
  const given = knownParameters(call, ['outcome', 'limit', 'after']);
  const outcome = outcomeOf(given['outcome']);
  const after = given['after'] ?? '';
  if (after !== '' && !isId(after)) end('content.bad_query', { message: 'after must be the end_cursor of a page' });
  const limit = limitOf(given['limit']);
  const turn = call.turn();
  const waiting = after === '' && (outcome === null || outcome === 'waiting') ? waitingOf(call, limit) : [];
  const ended =
    outcome === 'waiting'
      ? { found: [], cursor: null }
      : endedOf(turn, { outcome, after, limit: limit - waiting.length });
  const deliveries = [...waiting, ...ended.found];
  const page = { has_next_page: ended.cursor !== null, end_cursor: ended.cursor };
  return reply(200, { count: { ...countOf(turn) }, deliveries, page });
}

function outcomeOf(text = ''): Outcomes | null {
  const outcome = OUTCOMES.find((known) => known === text) ?? null;
  if (text !== '' && outcome === null)
    end('content.bad_query', { message: `outcome must be one of ${OUTCOMES.join(', ')}` });
  return outcome;
}

function waitingOf(call: Call, limit: number): ShownDelivery[] {
  const found: ShownDelivery[] = [];
  for (const entry of outboxOf(call.activation).entries(call.turn())) {
    if (found.length >= limit) break;
    found.push({ ...commonOf(entry), outcome: 'waiting', attempts: null, status: null, error: null, ended_at: null });
  }
  return found;
}

interface Wish {
  readonly outcome: Outcomes | null;
  readonly after: string;
  readonly limit: number;
}

/** A page looks at a bounded number of records: where few are of the outcome it may be short, or empty, with more behind it. */
function endedOf(turn: Turn, { outcome, after, limit }: Wish): { found: ShownDelivery[]; cursor: string | null } {
  const found: ShownDelivery[] = [];
  let looks = 0;
  let last = after === '' ? null : after;
  for (const record of scanRecordsBefore(turn, after)) {
    if (found.length >= limit || looks >= limits.content.webhookLooksMax) return { found, cursor: last };
    looks++;
    last = record.id;
    if (outcome === null || record.outcome === outcome) found.push(endedDelivery(record));
  }
  return { found, cursor: null };
}

function endedDelivery(record: DeliveryRecord): ShownDelivery {
  const { outcome, attempts, status, error, ended_at } = record;
  return { ...commonOf(record), outcome, attempts, status, error, ended_at };
}

function commonOf({ id, app, hook, event, entity, type, documents, at }: DeliveryEntry) {
  const most = limits.content.webhookDocumentsShown;
  return {
    id,
    app,
    webhook: hook,
    event,
    entity,
    type,
    documents: documents.slice(0, most),
    documents_count: documents.length,
    at,
  };
}

export function redeliver(call: Call): Outcome<AdminRows['delivery_redeliver']> {
  const id = call.param('id');
  const found = redeliverOne(outboxOf(call.activation), call, id);
  if (found === 'unknown')
    return end('content.delivery_not_found', { message: `no delivery ${shown(id)} waits or is in the log` });
  if (found === 'full') return end('content.outbox_full');
  const { app, hook: webhook } = found;
  call.record(() =>
    call.event({ outcome: 'ok', action: 'content.webhook.redeliver', target: id, data: { app, webhook } }),
  );
  return reply(200, { id, redelivered: true });
}
