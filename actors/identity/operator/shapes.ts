/** Bodies of the superadmin plane. Spec: docs/contract/identity-users.md §6, §7. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { isSegment } from '#actors/protocol/position.ts';
import { TENANT_STATES } from '#actors/protocol/topics.ts';
import { newPassword } from '../password-shape.ts';

const { identity } = limits;

const segment = z
  .string()
  .refine(isSegment, 'lower-case letters, digits, _ and -, at most 63, a letter or digit first');
const name = z.string().max(identity.nameCharsMax).nullish();

export const person = z.object({
  email: z.email().max(identity.emailCharsMax),
  password: newPassword,
  firstname: name,
  lastname: name,
});

/** This body and the next one refuse unknown members: a misspelt `admin` would make a tenant that no user can log in to. */
export const registerRequest = z.strictObject({
  customer: segment,
  product: segment,
  env: segment,
  tenant: segment,
  /** A product checkout or a tenant key that the platform file names. */
  product_source: z.string().min(1).max(identity.productSourceCharsMax).nullish(),
});

/** `admin` is an addition to the contract: without it no user could log in to a tenant that was made over HTTP. */
export const provisionRequest = z.strictObject({ admin: person.strict().nullish() });

/** A tenant as the registry has it; the list of the node's tenants shows more beside it. */
export const record = {
  key: z.string(),
  customer: z.string(),
  product: z.string(),
  env: z.string(),
  tenant: z.string(),
  state: z.enum(TENANT_STATES),
  product_source: z.string().nullable(),
  created_at: z.string(),
};

export const registerReply = z.object(record);
export const provisionReply = z.object({ ...record, steps: z.array(z.string()) });

const text = z.string().min(1).max(identity.emailCharsMax);

/** `reason` is checked before the rest: its absence has its own refusal. */
export const impersonateRequest = z.object({
  tenant: z.string().min(1).max(identity.tenantKeyCharsMax),
  /** Id or login. */
  user: text,
  reason: z.string().max(identity.reasonCharsMax),
  mode: z.enum(['readonly', 'full']),
});

/** There is no refresh token: every impersonation needs a request and a reason of its own. */
export const impersonateReply = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  session_id: z.string(),
});
