/** Asks of operators about a tenant's webhooks: which deliveries wait or have ended, and to deliver again. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import type { HookOutbox } from './row-watch.ts';
import { stageAgain } from './redeliver.ts';
import { countOf, findRecord, scanRecords, type DeliveryCount } from './store.ts';

export const webhookAsks = (outbox: HookOutbox) => ({
  'hook.list': (work: Work, wish: ListWish) => listDeliveries(outbox, work, wish),
  'hook.redeliver': (work: Work, wish: RedeliverWish) => redeliver(outbox, work, wish),
});

export interface DeliveryList {
  readonly count: DeliveryCount;
  readonly deliveries: readonly object[];
}

interface ListWish {
  readonly outcome?: string | null;
  readonly limit?: number;
}

/** Waiting deliveries, then ended ones, newest first. */
function listDeliveries(
  outbox: HookOutbox,
  work: Work,
  { outcome = null, limit = limits.content.pageRowsMax }: ListWish,
): DeliveryList {
  const turn = work.turn();
  const deliveries: object[] = [];
  if (outcome === null || outcome === 'waiting')
    for (const entry of outbox.entries(turn)) {
      if (deliveries.length >= limit) break;
      deliveries.push({ ...entry, outcome: 'waiting' });
    }
  for (const record of outcome === 'waiting' ? [] : scanRecords(turn, true)) {
    if (deliveries.length >= limit) break;
    if (outcome === null || record.outcome === outcome) deliveries.push(record);
  }
  return { count: countOf(turn), deliveries };
}

interface RedeliverWish {
  readonly id?: string | null;
}

/** Puts ended deliveries back into the outbox, under their own ids: one, or all that did not arrive. Gives how many. */
function redeliver(outbox: HookOutbox, work: Work, { id }: RedeliverWish): { readonly redelivered: number } {
  const turn = work.turn();
  const one = id === undefined || id === null ? undefined : findRecord(turn, id);
  if (typeof id === 'string' && one === undefined) throw new Error(`no ended delivery ${id}`);
  const records =
    one !== undefined ? [one] : [...scanRecords(turn, false)].filter(({ outcome }) => outcome !== 'delivered');
  return { redelivered: stageAgain(outbox, work, records) };
}
