/** Reads and checks the records of an append, and adds the defaults of the log. */
import type { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { AuditEvent } from '#actors/protocol/audit.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { AuditLog } from './audit-log.ts';
import { refuse } from './refusals.ts';
import { newRecordShape, type NewRecord } from './shapes.ts';
import { isVault, sourceOf } from './vault-peers.ts';

type Bad = Refusal<'audit.bad_request' | 'audit.too_large'>;

/** Sources of events from inside the node: no caller may use them. */
const OWN_SOURCES: ReadonlySet<string> = new Set(['host', 'audit', 'platform', 'intake']);
/** Sources of vaults: a vault believes these records about its store at its next start. Each vault uses its own source only. */
const OWN_PREFIX = 'vault/';

function maySpeakFor(principal: Principal, source: string | undefined): boolean {
  if (isVault(principal)) return source === sourceOf(principal);
  return source === undefined || !(OWN_SOURCES.has(source) || source.startsWith(OWN_PREFIX));
}

/** The records of a body. 400 naming the place of the first fault, 413 for too many. */
export function readRecords(call: Call): readonly NewRecord[] | Bad {
  const json = call.json();
  if (!json.ok) return refuse('audit.bad_request', { message: json.fault });
  const values: unknown[] = Array.isArray(json.value) ? json.value : [json.value];
  if (values.length === 0) return refuse('audit.bad_request', { message: 'no record' });
  if (values.length > limits.audit.recordsPerCallMax)
    return refuse('audit.too_large', { message: `at most ${limits.audit.recordsPerCallMax} records a call` });
  const records: NewRecord[] = [];
  for (const [at, value] of values.entries()) {
    const read = newRecordShape.safeParse(value);
    if (!read.success) return refuse('audit.bad_request', { message: `record ${at}: ${faultOf(read.error)}` });
    const { source, source_seq } = read.data;
    if (!maySpeakFor(call.principal!, source))
      return refuse('audit.bad_request', { message: `record ${at}: the source ${source ?? ''} is not the caller's` });
    if ((source === undefined) !== (source_seq === undefined))
      return refuse('audit.bad_request', { message: `record ${at}: source and source_seq come together` });
    if (read.data.ts !== undefined && read.data.event_ts !== undefined)
      return refuse('audit.bad_request', { message: `record ${at}: ts is the old name of event_ts: send one of them` });
    records.push(read.data);
  }
  return records;
}

function faultOf({ issues }: z.ZodError): string {
  const [first] = issues;
  return first === undefined ? 'not a record' : `${first.path.join('.') || 'the record'}: ${first.message}`;
}

/** The records as events of the caller: records without a source are counted under the caller's subject. */
export function eventsOf(call: Call, log: AuditLog, records: readonly NewRecord[], nowMs: number): AuditEvent[] {
  const subject = call.principal!.subject;
  const counted = new Map<string, number>();
  return records.map((record) => {
    const source = record.source ?? `caller:${subject}`;
    const number = record.source_seq ?? (counted.get(source) ?? log.lastOf(source)) + 1;
    counted.set(source, number);
    const eventTime = record.event_ts ?? record.ts;
    return {
      ts: timestamp(nowMs),
      ...(eventTime === undefined ? {} : { event_ts: timestamp(Date.parse(eventTime)) }),
      source,
      source_seq: number,
      told_by: subject,
      actor: record.actor ?? subject,
      action: record.action,
      target: record.target ?? '',
      outcome: record.outcome ?? 'ok',
      request_id: record.request_id ?? call.requestId,
      data: record.data ?? {},
    };
  });
}
