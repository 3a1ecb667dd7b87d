/** …/retention/handoff/claim, confirm, pending (docs/contract/data-admin.md §5.3). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { sessionOf } from '../../rest/session.ts';
import { refuse } from '../../refusals.ts';
import { placeOf } from '../gate.ts';
import { readBody } from '../read-body.ts';
import type { UpkeepRows } from '../upkeep-routes.ts';
import * as shapes from '../upkeep-shapes.ts';
import { claim, confirm, pendingBuckets } from './handoff.ts';
import { HANDOFF_STATUSES } from './store.ts';

export function claimed(call: Call): Outcome<UpkeepRows['handoff_claim']> {
  const body = readBody(call, shapes.handoffClaim);
  if (isRefusal(body)) return body;
  const { target_name: target = '', entity = '', limit = limits.handoff.claimRows, claimer_id: claimer = '' } = body;
  if (claimer === '') return refuse('v2.missing_claimer');
  const wish = { target, entity, limit, claimer };
  const taken = claim(call.turn(), call.activation.context.clock.now(), wish);
  const items = taken.map(({ handoff_id, entity: of, row_pk, target_name, target_type }) => {
    return { handoff_id, entity: of, row_pk: String(row_pk), target_name, target_type };
  });
  return reply(200, { claimed: items });
}

/** Confirmations are independent, so that many are staged over several turns. */
export async function confirmed(call: Call): Promise<Outcome<UpkeepRows['handoff_confirm']>> {
  const body = readBody(call, shapes.handoffConfirm);
  if (isRefusal(body)) return body;
  const { confirmations = [] } = body;
  if (confirmations.length === 0) return refuse('v2.empty_confirmations');
  const session = sessionOf(call);
  const now = session.clock.now();
  const counts = { confirmed: 0, failed: 0 };
  for (const [at, said] of confirmations.entries()) {
    if (at > 0 && at % limits.handoff.sliceRows === 0) {
      call.commit();
      await session.yieldTurn();
    }
    const { handoff_id, target_location = '', checksum = '', failed = false, error = '' } = said;
    const outcome = confirm(session.turn(), now, { handoff_id, target_location, checksum, failed, error });
    counts[outcome === 'confirmed' ? 'confirmed' : 'failed']++;
  }
  return reply(200, counts);
}

export function pending(call: Call): Outcome<UpkeepRows['handoff_pending']> {
  const { query, activation } = call;
  const wanted = query.get('status') ?? '';
  const status = HANDOFF_STATUSES.find((known) => known === wanted);
  // An unknown status has no buckets.
  if (wanted !== '' && status === undefined) return reply(200, { ...placeOf(call), buckets: [] });
  const filter = {
    target: query.get('target_name') ?? '',
    entity: query.get('entity') ?? '',
    status: status ?? ('' as const),
  };
  const buckets = pendingBuckets(call.turn(), activation.context.clock.now(), filter);
  return reply(200, { ...placeOf(call), buckets });
}
