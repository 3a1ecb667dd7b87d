/** The call in whose name a script of a trigger runs: a caller with one role, which no credential maps to (docs/contract/triggers.md §3.3). */
import type { ScriptTarget } from '#config/definitions/trigger-shapes.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Call, type CompiledRoute } from '#actors/host/call.ts';
import { principalOf, type Principal } from '#actors/protocol/principal.ts';
import { routes } from '../routes.ts';
import type { TriggerEntry, Turn } from './store.ts';

/** It came by no route; scripts of endpoints are the nearest one. */
const ROUTE: CompiledRoute = { no: -1, name: 'trigger', service: 'data', row: routes.endpoint, paramNames: [] };

/** Rules see a service with one role of the catalogue, the audit log the trigger's name. */
const callerOf = ({ position }: Activation, trigger: string, role: string): Principal =>
  principalOf({ type: 'service', subject: `trigger:${trigger}`, tenant: position.key, roles: [role] });

/** It belongs to no route that callers could be kept from: the watchdog sees the node's own work. */
class ScriptCall extends Call {
  override nextTurn(): Turn {
    const turn = super.nextTurn();
    this.tenant?.context.pulse?.mark('ask', this.tenantNo);
    return turn;
  }
}

/** What the script writes fires triggers one step deeper than its event was. */
export function scriptCall(activation: Activation, entry: TriggerEntry, { role }: ScriptTarget): Call {
  const call = new ScriptCall(-1, ROUTE, activation.tenantNo, 'POST', '', '', '', entry.id, '', '');
  call.tenant = activation;
  call.principal = callerOf(activation, entry.trigger, role);
  call.triggerDepth = entry.depth;
  return call;
}
