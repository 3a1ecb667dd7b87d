/** One audit record and its bytes. Source: decisions.md "Audit": canonical JSON (RFC 8785), large `data` by its hash. */
import { hash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { AuditEvent } from '#actors/protocol/audit.ts';
import { canonicalJson } from './canonical.ts';

const RECORD_VERSION = 1;

/** What the log adds to an event. */
export interface RecordPlace {
  readonly id: string;
  readonly seq: number;
  /** Tenant key, '' for logs of the node. */
  readonly tenant: string;
}

export interface EncodedRecord {
  readonly entry: Buffer;
  /** `data` that moved out of the record: its SHA-256 in hex and its canonical text. */
  readonly blob: { readonly sha256: string; readonly text: string } | null;
}

/** The entry of an event at its place; `data` stays in it up to the bound of a bundle. */
export function encodeRecord(event: AuditEvent, place: RecordPlace): EncodedRecord {
  const whole = entryOf(event, place, { data: event.data });
  if (whole.length <= limits.audit.recordBytesMax) return { entry: whole, blob: null };
  const text = canonicalJson(event.data);
  const sha256 = hash('sha256', text, 'hex');
  return { entry: entryOf(event, place, { data_sha256: sha256 }), blob: { sha256, text } };
}

function entryOf(event: AuditEvent, place: RecordPlace, data: object): Buffer {
  const { source, source_seq, actor, action, target, outcome, request_id, ts } = event;
  const record = { v: RECORD_VERSION, ...place, ts, source, source_seq, actor, action, target, outcome, request_id };
  return Buffer.from(canonicalJson({ ...record, ...data }));
}
