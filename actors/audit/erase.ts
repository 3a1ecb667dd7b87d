/** POST /audit/logs/{id}/erasures: erases personal data beside a log; the log records the erasure and its caller. */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import { positionOfLog } from '#actors/protocol/position.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Audit } from './audit.ts';
import { refuse, refuseAway } from './refusals.ts';
import type { Routes } from './routes.ts';
import { erasureRequest } from './shapes.ts';
import { LeavesAway, LogRefused } from './store.ts';

/** A caller who may not read the log does not learn whether it exists; one who may read but not erase it gets 403. */
export async function erase(audit: Audit, call: Call): Promise<Outcome<Routes['erase']>> {
  const found = await audit.readable(call);
  if (isRefusal(found)) return found;
  if (!admits(call.route.row.callers, call.principal, positionOfLog(found.id))) return refuse('audit.forbidden');
  const json = call.json();
  const wish = erasureRequest.safeParse(json.ok ? json.value : undefined);
  if (!wish.success) return refuse('audit.bad_request', { message: wish.error.issues[0]!.message });
  const { email, ip, before } = wish.data;
  try {
    const log = await audit.book.open(found.id);
    const erased = await log.personal.erase({
      email,
      ip,
      beforeMs: before === undefined ? undefined : Date.parse(before),
    });
    const by = { by: Object.keys(wish.data), erased };
    const told = log.append(
      [{ ...audit.book.ownEvent(log, 'audit.personal.erased', by), actor: call.principal!.subject }],
      'strict',
    );
    if ((await audit.soon(told)) === 'late') return refuseAway();
    return reply(200, { log_id: log.id, erased });
  } catch (error) {
    if (error instanceof LeavesAway) return refuseAway();
    if (!(error instanceof LogRefused)) throw error;
    return refuse('audit.refused', { message: error.message, details: { why: error.why } });
  }
}
