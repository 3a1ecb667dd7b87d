/** The administrators' routes, behind the callers of their rows. */
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { admits } from '#actors/kit/admits.ts';
import type { Outcome, RouteRow } from '#actors/protocol/route.ts';
import { refusing } from '../refused.ts';
import { listDeliveries, redeliver } from './deliveries.ts';
import { refuseOthers } from './editor.ts';
import { listApps } from './list-apps.ts';
import { adminRows, type AdminRows } from './routes.ts';
import { showType } from './show-type.ts';

export const adminHandlers: Handlers<AdminRows> = {
  apps: administered(adminRows.apps, listApps),
  type_read: administered(adminRows.type_read, showType),
  deliveries: administered(adminRows.deliveries, listDeliveries),
  delivery_redeliver: administered(adminRows.delivery_redeliver, redeliver),
};

/** 403 for a caller that the row does not admit; no rule of an app decides here. */
function administered<R extends RouteRow>(
  row: R,
  handler: (call: Call) => Outcome<R>,
): (call: Call) => Promise<Outcome<R>> {
  return refusing(row, (call) => {
    if (!admits(row.callers, call.principal, call.activation.position)) refuseOthers();
    return Promise.resolve(handler(call));
  });
}
