/** Bodies of the intake service. Spec: docs/contract/intake.md §4.4, §5. */
import { z } from 'zod';

/** Which fields there are is the form's to say, so the row leaves them open. */
export const submissionShape = z.record(z.string(), z.unknown());

export const receiptShape = z.object({ id: z.ulid(), received_at: z.iso.datetime({ precision: 3 }) });

export const healthShape = z.object({ healthy: z.literal(true), version: z.string() });

/** Text, unless JSON is asked for. */
export const readyShape = z.union([z.literal('ready:true'), z.object({ ready: z.literal(true) })]);

export const drainingShape = z.union([z.literal('ready:false'), z.object({ ready: z.literal(false) })]);

const count = z.int().nonnegative();

export const metricsShape = z.object({
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
