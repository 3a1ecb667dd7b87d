/** Bodies of deploys. Spec: docs/contract/platform.md §1.10. */
import { z } from 'zod';
import { TENANT_STATES } from '#actors/protocol/topics.ts';

const text = z.string();
const digest = text.regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex');

export const tenantsReply = z.object({
  /** `customer:product:env`. */
  product: text,
  tenants: z.array(z.object({ tenant: text, state: z.enum(TENANT_STATES) })),
});

/** The archive itself; its type is not looked at. */
export const revisionReply = z.object({ revision: digest, name: text, files: z.int() });

export const planRequest = z.strictObject({
  /** One that was sent; null: the one that the tenant served before. */
  revision: digest.nullable(),
  /** Whether the plan may drop what is not declared any more. */
  allow_drops: z.boolean().optional(),
});

const risk = z.enum(['low', 'medium', 'high']);

export const planReply = z.object({
  plan_id: text,
  source: z.literal('yaml'),
  max_risk: risk,
  warnings: z.array(text).optional(),
  refusals: z.array(text).optional(),
  steps: z.array(
    z.object({
      Order: z.int(),
      Kind: z.enum(['schema', 'data']),
      SchemaOp: text,
      Entity: text,
      Identifier: text,
      SQL: text,
      Checksum: text,
      Expected: text,
      Risk: risk,
      Notes: text,
      Transactional: z.boolean(),
    }),
  ),
  revision: digest,
  serves: digest.nullable(),
});

export const applyRequest = z.strictObject({ confirm_max_risk: risk });

export const applyReply = z.object({
  plan_id: text,
  status: z.enum(['generated', 'applied', 'partial', 'failed', 'halted', 'dry_run']),
  steps_applied: z.int(),
  steps_failed: z.int(),
  steps_skipped: z.int(),
  failed_step: z.int().optional(),
  halted_step: z.int().optional(),
  error: text.optional(),
});
