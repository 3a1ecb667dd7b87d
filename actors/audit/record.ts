/** One audit record and its bytes. Source: docs/contract/audit.md §2.2: canonical JSON (RFC 8785), large `data` by its hash. */
import { hash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { ulidMs } from '#actors/kit/id.ts';
import type { AuditEvent } from '#actors/protocol/audit.ts';
import { canonicalJson } from './canonical.ts';

const RECORD_VERSION = 1;

/** When the log took a record, in milliseconds. Its id holds the time of the log's own clock, under the log's signature. */
export function takenMs({ id }: { readonly id: string }): number {
  return ulidMs(id);
}

/** What the log adds to an event. */
export interface RecordPlace {
  readonly id: string;
  readonly seq: number;
  /** Tenant key, '' for logs of the node. */
  readonly tenant: string;
  /** SHA-256 in hex of the line that keeps its personal data; null where it has none. */
  readonly personal: string | null;
}

export interface EncodedRecord {
  readonly entry: Buffer;
  /** `data` that moved out of the record: its SHA-256 in hex and its canonical text. */
  readonly blob: { readonly sha256: string; readonly text: string } | null;
}

/** The entry of an event at its place; `data` stays in it up to the bound of a bundle. */
export function encodeRecord(event: AuditEvent, place: RecordPlace): EncodedRecord {
  const text = canonicalJson(event.data);
  const whole = Buffer.from(entryText(event, place, `"data":${text}`));
  if (whole.length <= limits.audit.recordBytesMax) return { entry: whole, blob: null };
  const sha256 = hash('sha256', text, 'hex');
  return { entry: Buffer.from(entryText(event, place, `"data_sha256":"${sha256}"`)), blob: { sha256, text } };
}

const quoted = (text: string): string => JSON.stringify(text);

/** The canonical text of a record. Its members are always the same, so they are written in order instead of sorted. */
function entryText(event: AuditEvent, { id, seq, tenant, personal }: RecordPlace, data: string): string {
  const { source, source_seq, actor, action, target, outcome, request_id, ts, event_ts, session, subject } = event;
  const head = `{"action":${quoted(action)},"actor":${quoted(actor)},${data}${optional('event_ts', event_ts)},"id":${quoted(id)}`;
  const ended = `,"outcome":${quoted(outcome)}${optional('personal_sha256', personal)},"request_id":${quoted(request_id)}`;
  const middle = `,"seq":${seq}${optional('session', session)},"source":${quoted(source)},"source_seq":${source_seq}`;
  const tail = `${optional('subject', subject)},"target":${quoted(target)},"tenant":${quoted(tenant)}${optional('told_by', event.told_by)},"ts":${quoted(ts)},"v":${RECORD_VERSION}}`;
  return head + ended + middle + tail;
}

/** A member that only some records have. */
function optional(name: string, value: string | null | undefined): string {
  return value === null || value === undefined ? '' : `,"${name}":${quoted(value)}`;
}
