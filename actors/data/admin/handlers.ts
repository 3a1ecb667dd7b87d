/** The handler of each row of the admin plane; `gated` checks their callers (gate.ts). */
import type { Call } from '#actors/host/call.ts';
import type { AnyHandler, Handlers } from '#actors/host/service.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { listActions, NO_ACTIONS } from '../action/registry.ts';
import { partOf } from '../part.ts';
import { explainAction } from './explain-action.ts';
import { changeGroupHandlers } from './changes/handlers.ts';
import { clearTenantCache } from './clear-tenant-cache.ts';
import { explainHandlers } from './explain/handlers.ts';
import { datastoreChecked, placeOf } from './gate.ts';
import { superadminHandlers } from './mirror.ts';
import { apply, generate, listApplied, show } from './plan/handlers.ts';
import { references } from './references.ts';
import { adminRows, type AdminRows } from './routes.ts';
import { submissionHandlers } from './submission/handlers.ts';
import { triggerHandlers } from './trigger/handlers.ts';
import { upkeepHandlers } from './upkeep-handlers.ts';

export const adminHandlers: Handlers<AdminRows> = {
  ...upkeepHandlers,
  ...triggerHandlers,
  ...submissionHandlers,
  ...changeGroupHandlers,
  ...explainHandlers,
  plan_generate: generate,
  plan_show: show,
  plan_apply: apply,
  plan_applied: listApplied,
  action_list: listOfActions,
  action_explain: explainAction,
  references,
  hashes: () => reply(200, { count: 0, hashes: [] }),
};

/** Where no actions could be loaded the count is 0 (docs/contract/data-admin.md §8.1). */
function listOfActions(call: Call): Outcome<AdminRows['action_list']> {
  const actions = listActions(partOf(call.activation).actions ?? NO_ACTIONS);
  return reply(200, { ...placeOf(call), count: actions.length, actions });
}

/** Handlers of relayed requests, by the names of the mirror's rows. The host that relays has authorized the caller. */
export const relayedHandlers: Readonly<Record<string, AnyHandler>> = {
  ...(superadminHandlers(adminRows, datastoreChecked(adminRows, adminHandlers)) as Readonly<
    Record<string, AnyHandler>
  >),
  superadmin_cache_clear: (call: Call) => clearTenantCache(call),
};
