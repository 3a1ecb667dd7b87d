/** Events as they cross threads: their records as the outbox stores them, one after the other, each after its length. */
import { decodeRecord } from '#storage/record.ts';
import type { AuditBatch, AuditEvent } from '#actors/protocol/audit.ts';

const LENGTH_BYTES = 4;

/** What numbers a tenant's events: the host that commits them. */
const SOURCE = 'host';

/** The records in one piece, in a buffer of its own: of a shared one all of it would be cloned. */
export function packEvents(records: readonly Uint8Array[]): Uint8Array {
  const bytes = records.reduce((sum, record) => sum + LENGTH_BYTES + record.length, 0);
  const packed = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const record of records) {
    at = packed.writeUInt32LE(record.length, at);
    packed.set(record, at);
    at += record.length;
  }
  return packed;
}

/** The events of a batch, in the order of their numbers. Throws Corruption when a record is not as it was written. */
export function unpackEvents({ records, source = SOURCE }: Pick<AuditBatch, 'records' | 'source'>): AuditEvent[] {
  const packed = Buffer.from(records.buffer, records.byteOffset, records.length);
  const events: AuditEvent[] = [];
  for (let at = 0; at < packed.length;) {
    const from = at + LENGTH_BYTES;
    at = from + packed.readUInt32LE(at);
    events.push(eventOf(decodeRecord(packed.subarray(from, at), 'audit_outbox') as AuditEvent & { n: number }, source));
  }
  return events;
}

/** Each member by its name: a spread of the record costs more than decoding it. */
function eventOf(event: AuditEvent & { n: number }, source: string): AuditEvent {
  const { n, ts, actor, subject, session, personal, action, target, outcome, request_id, data } = event;
  const about = { ...(subject && { subject }), ...(session && { session }), ...(personal && { personal }) };
  return { ts, source, source_seq: n, actor, ...about, action, target, outcome, request_id, data };
}
