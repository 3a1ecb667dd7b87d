/** Bodies of the audit service. Source: docs/contract/audit.md §4. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { BodyOf } from '#actors/protocol/body.ts';
import { bytesShape, textShape } from '#actors/protocol/shape.ts';

const text = z.string().max(limits.audit.textCharsMax);
const hash = z.base64();

/** `1e400` is infinite once it is parsed, and the canonical text of a record has no infinity. */
function isFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isFinite);
}

/** A record as a service appends it; the log adds id, seq and tenant. */
export const newRecordShape = z.strictObject({
  action: text.min(1),
  actor: text.optional(),
  target: text.optional(),
  outcome: text.optional(),
  request_id: text.optional(),
  event_ts: z.iso.datetime({ offset: true }).optional(),
  /** The old name of event_ts; `ts` itself is the log's time. */
  ts: z.iso.datetime({ offset: true }).optional(),
  source: text.min(1).optional(),
  source_seq: z.int().positive().optional(),
  personal: z.strictObject({ ip: text.optional(), email: text.optional() }).optional(),
  data: z.record(z.string(), z.unknown()).refine(isFinite, 'a number in it is beyond a double').optional(),
});
export type NewRecord = z.output<typeof newRecordShape>;

export const newRecordsShape = z.union([newRecordShape, z.array(newRecordShape).min(1)]);

export const proofShape = z.object({
  log_id: z.string(),
  index: z.int(),
  entry: z.string(),
  proof: z.array(hash),
  checkpoint: z.string(),
});

export const appendedShape = z.object({
  log_id: z.string(),
  index: z.int().optional(),
  durability: z.enum(['strict', 'batched', 'async']),
  proof: proofShape.optional(),
});

/** Copies or witnesses of a log, and for how long the one furthest behind has not had all that is signed; null before the first look at them. */
const peersShape = z.object({ count: z.int(), behind_seconds: z.number().nullable() });

export const logShape = z.object({
  log_id: z.string(),
  origin: z.string(),
  durability: z.enum(['strict', 'batched', 'async']),
  size: z.int(),
  root: z.string(),
  lost: z.int(),
  public_key: z.string(),
  verifier_key: z.string(),
  refused: z.string().nullable(),
  newest_at: z.string().nullable(),
  copies: peersShape,
  witnesses: peersShape,
  scrub: z.object({ round_ended_at: z.string().nullable(), faults: z.int().nullable() }).nullable(),
});

export const logsShape = z.object({ logs: z.array(z.object({ log_id: z.string() })), count: z.int() });

export const recordsShape = z.object({
  records: z.array(z.record(z.string(), z.unknown())),
  size: z.int(),
  next: z.int().nullable(),
  /** Personal data beside the log, by the `personal_sha256` of a record; erased lines are absent. */
  personal: z.record(z.string(), z.object({ ip: z.string().optional(), email: z.string().optional() })),
});

export type Records = BodyOf<typeof recordsShape>;

/** What to erase: at least one of them. */
export const erasureRequest = z
  .strictObject({
    email: text.min(1).optional(),
    ip: text.min(1).optional(),
    before: z.iso.datetime({ offset: true }).optional(),
  })
  .refine((wish) => Object.keys(wish).length > 0, 'name at least one of email, ip, before');
export const erasedShape = z.object({ log_id: z.string(), erased: z.int() });

export const consistencyShape = z.object({
  log_id: z.string(),
  from: z.int(),
  to: z.int(),
  proof: z.array(hash),
  checkpoint: z.string(),
});

/** A signed note. */
export const noteShape = textShape('text/plain');
export const tileShape = bytesShape('application/octet-stream');

export const readyShape = z.object({ ready: z.literal(true) });
export const notReadyShape = z.object({ ready: z.literal(false) });

export const sourceShape = z.object({ log_id: z.string(), source: z.string(), last: z.int() });

/** The record as it stands in its log. */
export const newestShape = z.object({ record: z.record(z.string(), z.unknown()).nullable() });
