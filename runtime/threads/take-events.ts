/** What a tenant's outbox hands to the audit log. */
import { limits } from '#config/limits.ts';
import { packEvents } from '#actors/host/audit-batch.ts';
import type { AuditOutbox } from '#actors/host/audit-outbox.ts';
import type { AuditTaken } from '#actors/protocol/audit.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';

export async function takeEvents(outbox: AuditOutbox, entry: TenantEntry): Promise<AuditTaken> {
  const { records, upTo, more } = await outbox.take(limits.audit.takeEntriesMax);
  const { position, events: source } = entry;
  const batch = { position, records: packEvents(records), ...(source === undefined ? {} : { source }) };
  return { batch, upTo, more };
}

/** Events of tenants that the audit log has not answered for. */
export function waitingEvents(outboxes: Iterable<AuditOutbox>): number {
  let events = 0;
  for (const { depth } of outboxes) events += depth;
  return events;
}
