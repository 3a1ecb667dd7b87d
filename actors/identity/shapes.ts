/** Bodies of identity's requests and answers. Spec: docs/contract/identity.md §2, §3.1, docs/contract/identity-users.md §5 for bootstrap. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { parseGrant } from '#actors/kit/grant.ts';
import { newPassword } from './password-shape.ts';

const { identity } = limits;

const grant = z
  .string()
  .refine((text) => parseGrant(text) !== null, 'is no grant: four segments customer:env:product:tenant, * as wildcard');

/** What a key allows. Unknown fields are ignored; null counts as absent. */
const capabilities = z.object({
  roles: z.array(z.string().min(1)).nullish(),
  scope: z.array(grant).nullish(),
  is_superadmin: z.boolean().nullish(),
});

export const issueRequest = z.object({
  service: z.string().max(identity.serviceTagCharsMax).nullish(),
  capabilities: capabilities.nullish(),
  expires_in_days: z
    .number()
    .refine((days) => Number.isInteger(days), 'expected an integer')
    .meta({ type: 'integer' })
    .nullish(),
});

const storedCapabilities = z.object({
  roles: z.array(z.string()).optional(),
  scope: z.array(z.string()).optional(),
  is_superadmin: z.boolean().optional(),
});

export type Capabilities = z.output<typeof storedCapabilities>;

export const issueReply = z.object({
  id: z.string(),
  key: z.string(),
  expires_at: z.string(),
  capabilities: storedCapabilities,
});

export const revokeReply = z.object({ ok: z.literal(true) });

export const exchangeReply = z.object({
  token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
});

const name = z.string().max(identity.nameCharsMax).nullish();

export const bootstrapRequest = z.object({
  token: z.string(),
  email: z.email().max(identity.emailCharsMax),
  password: newPassword,
  firstname: name,
  lastname: name,
});

export const bootstrapReply = z.object({ id: z.string(), email: z.string() });

/** RFC 7517 and RFC 8037: public Ed25519 keys. */
const publicKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  use: z.literal('sig'),
  alg: z.literal('EdDSA'),
});
export type PublicKey = z.output<typeof publicKey>;
export const jwksReply = z.object({ keys: z.array(publicKey) });
