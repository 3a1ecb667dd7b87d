/** GET …/triggers, GET …/triggers/events, POST …/events/{id}/retry, DELETE …/events/{id} (docs/contract/triggers.md §4). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { refuse } from '../../refusals.ts';
import { dropEvent, EVENT_OUTCOMES, listEvents, listTriggers, retryEvent } from '../../trigger/events.ts';
import { placeOf } from '../gate.ts';
import type { TriggerRows } from './routes.ts';

export const triggerHandlers: Handlers<TriggerRows> = {
  triggers: (call) => reply(200, { ...placeOf(call), triggers: listTriggers(call) }),
  trigger_events: events,
  trigger_event_retry: retry,
  trigger_event_drop: drop,
};

function events(call: Call): Outcome<TriggerRows['trigger_events']> {
  const wanted = call.query.get('outcome') ?? '';
  const outcome = EVENT_OUTCOMES.find((known) => known === wanted) ?? null;
  if (wanted !== '' && outcome === null) {
    const message = `no outcome ${shown(wanted)}: it is one of ${EVENT_OUTCOMES.join(', ')}`;
    return refuse('v2.bad_outcome', { message });
  }
  return reply(200, { ...placeOf(call), events: listEvents(call, outcome, limitOf(call.query.get('limit'))) });
}

function limitOf(text: string | null): number {
  const { pageRows, pageRowsMax } = limits.triggers;
  const number = text !== null && /^\d{1,6}$/.test(text) ? Number(text) : pageRows;
  return Math.max(1, Math.min(number, pageRowsMax));
}

const unknown = (id: string) =>
  refuse('v2.trigger_event_not_found', { message: `no event ${shown(id)} waits or failed` });

function retry(call: Call): Outcome<TriggerRows['trigger_event_retry']> {
  const id = call.param('id');
  const done = retryEvent(call, id);
  if (done === 'unknown') return unknown(id);
  return done === 'full' ? refuse('v2.outbox_full') : reply(200, { ...placeOf(call), id: shown(id), retried: true });
}

function drop(call: Call): Outcome<TriggerRows['trigger_event_drop']> {
  const id = call.param('id');
  if (!dropEvent(call, id)) return unknown(id);
  return reply(200, { ...placeOf(call), id: shown(id), dropped: true });
}
