/** GET /data/stateflows and /data/stateflow/{name}: the machines of the tenant's product (docs/contract/data-behaviour.md §1.3). */
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { describeMachine } from '#actors/engine/machines/describe.ts';

/** Sorted by name, as they were loaded. */
export function stateflows(call: Call): Outcome<Routes['stateflows']> {
  const machines = (call.activation.product.stateflows ?? []).map(describeMachine);
  return reply(200, { stateflows: machines, count: machines.length });
}

export function stateflow(call: Call): Outcome<Routes['stateflow']> {
  const name = call.param('name');
  if (name === '') return refuse('v2.missing_name');
  const found = call.activation.product.stateflows?.find((definition) => definition.name === name);
  if (found === undefined) return refuse('v2.stateflow_not_found', { message: `no stateflow ${shown(name)}` });
  return reply(200, describeMachine(found));
}
