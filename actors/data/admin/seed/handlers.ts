/** GET …/seeds and POST …/seeds/runs (docs/contract/data-admin.md §4). */
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { DEFAULT_DATASTORE } from '#actors/engine/rows/parameters.ts';
import { refuse } from '../../refusals.ts';
import { placeOf } from '../gate.ts';
import { operationOf } from '../lock/guard.ts';
import { lockedOut } from '../lock/refused.ts';
import { readBody } from '../read-body.ts';
import type { UpkeepRows } from '../upkeep-routes.ts';
import * as shapes from '../upkeep-shapes.ts';
import { listSeeds } from './list.ts';
import { runSeeds, unknownSeeds } from './run.ts';

export function seeds(call: Call): Outcome<UpkeepRows['seeds']> {
  return reply(200, { ...placeOf(call), seeds: listSeeds(call.turn(), call.activation.product.seeds ?? []) });
}

export async function seedRun(call: Call): Promise<Outcome<UpkeepRows['seed_run']>> {
  const body = readBody(call, shapes.seedRun);
  if (isRefusal(body)) return body;
  const { position, context, product } = call.activation;
  const names = body.names === undefined || body.names.length === 0 ? null : body.names;
  const unknown = unknownSeeds(product.seeds ?? [], names);
  if (unknown.length > 0) return refuse('v2.seed_not_found', { message: `no seed ${shown(unknown[0])}` });
  const wish = {
    planId: context.ids.next(),
    names,
    environment: body.environment ?? position.env,
    dryRun: body.dry_run ?? false,
    force: body.force ?? false,
  };
  const operation = operationOf('seed', DEFAULT_DATASTORE, wish.planId);
  const report = await lockedOut(call, operation, (guard) => runSeeds(call, wish, guard));
  if (isRefusal(report)) return report;
  return reply(report.failed_count > 0 ? 207 : 200, report);
}
