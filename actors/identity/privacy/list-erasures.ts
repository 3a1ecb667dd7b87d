/** `GET /auth/admin/erasures`. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { administratorOf } from '../people/administrator.ts';
import type { privacyRoutes } from './routes.ts';
import type { ErasureView } from './shapes.ts';
import { readErasures, type ErasureRecord } from './store.ts';

export function listErasures(call: Call): Outcome<typeof privacyRoutes.listErasures> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  return reply(200, { erasures: readErasures(call.turn()).map(viewOf) });
}

/** Without the address, which only the work needs. */
export function viewOf({ email: _email, ...record }: ErasureRecord): ErasureView {
  return { ...record, rows: { ...record.rows } };
}
