/** POST /audit/logs/{id}/records. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { mayAppend } from './admit.ts';
import type { Audit } from './audit.ts';
import { eventsOf, readRecords } from './read-records.ts';
import { refuse, refuseAway } from './refusals.ts';
import type { Routes } from './routes.ts';
import { LeavesAway, LogRefused } from './store.ts';
import { isVault } from './vault-peers.ts';

type Answer = Outcome<Routes['append']>;

/** 200 when the records are as durable as the route says, 202 for `async`. The first record of a log makes it, unless it is a tenant's. */
export async function append(audit: Audit, call: Call): Promise<Answer> {
  const id = audit.logIdOf(call);
  if (isRefusal(id)) return id;
  if (!mayAppend(call.principal!, id)) return refuse('audit.forbidden');
  const records = readRecords(call);
  if (isRefusal(records)) return records;
  try {
    const log = await audit.book.open(id);
    if (log.isFull || audit.draining) return refuse('audit.unavailable');
    const events = eventsOf(call, log, records, audit.clock.now());
    if (!log.remembers(events)) return refuse('audit.too_many_sources');
    // A vault deletes events once they are acknowledged: they must be on the disk then, whatever the route says.
    const durability = isVault(call.principal!) ? 'strict' : log.durability;
    const appended = await audit.soon(log.append(events, durability));
    if (appended === 'late') return refuseAway();
    const { fate, index, count } = appended;
    if (fate === 'full') return refuse('audit.storage_full');
    if (fate === 'failed') return audit.book.isShared ? refuseAway() : refuse('audit.internal');
    if (count < events.length) return refuse('audit.duplicate', { details: { appended: count } });
    if (durability === 'async') return reply(202, { log_id: id, durability });
    const answer = { log_id: id, index: index!, durability };
    if (call.query.get('wait') !== 'checkpoint') return reply(200, answer);
    if ((await audit.soon(log.published(index! + count))) === 'late') return refuseAway();
    if ((log.head?.size ?? 0) < index! + count) return refuseUnsigned(audit, id);
    return reply(200, { ...answer, proof: await log.proof(index!) });
  } catch (error) {
    if (error instanceof LeavesAway) return refuseAway();
    if (!(error instanceof LogRefused)) throw error;
    return refuse('audit.refused', { message: error.message, details: { why: error.why } });
  }
}

/** The log was closed before a checkpoint covered the records: it refuses to be written, or is opened again. */
function refuseUnsigned({ book }: Audit, id: string): Answer {
  const refused = book.refused.get(id);
  if (refused !== undefined) throw refused;
  return refuseAway();
}
