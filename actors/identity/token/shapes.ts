/** Bodies of the routes about tokens (RFC 7662, RFC 7009) and of what a position has. Spec: docs/contract/identity-tokens.md. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';

/** The hint is accepted and not needed: the kinds of tokens look different. */
export const tokenRequest = z.object({
  token: z.string().min(1).max(limits.identity.shownTokenCharsMax),
  token_type_hint: z.string().max(64).nullish(),
});

/** `{active: false}`, or everything that is not optional. */
export const introspectReply = z.object({
  active: z.boolean(),
  token_type: z.enum(['Bearer', 'refresh_token']).optional(),
  iss: z.string().optional(),
  sub: z.string().optional(),
  type: z.enum(['user', 'service']).optional(),
  tenant: z.string().optional(),
  roles: z.array(z.string()).optional(),
  /** Grants of a service token, with spaces between them. */
  scope: z.string().optional(),
  sid: z.string().optional(),
  act: z.object({ sub: z.string() }).optional(),
  iat: z.int().optional(),
  exp: z.int().optional(),
});

export type Introspection = z.output<typeof introspectReply>;

export const discoveryReply = z.object({
  issuer: z.string(),
  tenant: z.string(),
  access_token_format: z.literal('v4.public'),
  jwks_uri: z.string(),
  introspection_endpoint: z.string(),
  revocation_endpoint: z.string(),
  /** Paths by what they are for; what does not work here is absent. */
  endpoints: z.record(z.string(), z.string()),
  sign_up: z.enum(['closed', 'invitation', 'open']),
  providers: z.array(z.string()),
  /** What a sign-up has to show; null: nothing. */
  captcha: z.string().nullable(),
  /** Whether people may come in without an account. */
  guests: z.boolean(),
  sessions: z.enum(['managed', 'stateless']),
  second_factors: z.array(z.string()),
  passkeys: z.boolean(),
  /** Whether a page of this host may hold its tokens in cookies. */
  cookies: z.boolean(),
});

export type Discovery = z.output<typeof discoveryReply>;
