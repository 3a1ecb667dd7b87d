/** Bodies of proofs. Spec: docs/contract/identity-users.md §9. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { assertion } from '../passkey/shapes.ts';

const { identity } = limits;

const WAYS = 'send one of password, credential and refresh_token';

export const proofRequest = z
  .strictObject({
    password: z.string().min(1).max(identity.passwordCharsMax).optional(),
    /** The passkey's answer to the options of `begin`. */
    credential: assertion.optional(),
    /** Of a login that was made just now: a stateless tenant has no session that says when. */
    refresh_token: z.string().min(1).max(identity.userSecretCharsMax).optional(),
  })
  .refine((body) => Object.values(body).filter((way) => way !== undefined).length === 1, WAYS);

export type ProofWish = z.output<typeof proofRequest>;

export const proofReply = z.object({ proof: z.string(), expires_in: z.int() });
