/** Bodies of the intake service. Spec: docs/contract/intake.md §4.4, §5. */
import { z } from 'zod';
import type { BodyOf } from '#actors/protocol/body.ts';
import { textShape } from '#actors/protocol/shape.ts';

/** The form declares the fields, so the row leaves them open. */
export const submissionShape = z.record(z.string(), z.unknown());

export const receiptShape = z.object({ id: z.ulid(), received_at: z.iso.datetime({ precision: 3 }) });
export type Receipt = BodyOf<typeof receiptShape>;

/** As ALTCHA's widget reads it (protocol version 1). */
export const challengeShape = z.object({
  algorithm: z.literal('SHA-256'),
  challenge: z.string(),
  maxnumber: z.int(),
  salt: z.string(),
  signature: z.string(),
});

const count = z.int().nonnegative();

const counters = z.object({
  requests: z.object({
    accepted: count,
    validation_failed: count,
    unknown_form: count,
    too_large: count,
    unsupported_media_type: count,
    bad_request: count,
    rate_limited: count,
    shedding: count,
    bot: count,
    forbidden: count,
    internal: count,
  }),
  notify: z
    .object({
      enqueued: count,
      dropped: count,
      email_sent: count,
      email_failed: count,
      chat_sent: count,
      chat_failed: count,
    })
    .optional(),
});

/** JSON, or Prometheus text where `Accept` names it. */
export const metricsShape = z.union([counters, textShape('text/plain')]);
