/** Bodies of the second factor's routes. Spec: docs/contract/identity-users.md §3.1 (`setup` → {secret, otpauth_uri}; `enable`, `disable` {code}). */
import { z } from 'zod';

const CODE_CHARS_MAX = 64;

export const codeRequest = z.object({ code: z.string().max(CODE_CHARS_MAX) });

export const setupReply = z.object({ secret: z.string(), otpauth_uri: z.string() });

/** The only answers in which recovery codes exist as plain text. */
export const enableReply = z.object({ ok: z.literal(true), recovery_codes: z.array(z.string()) });

export const disableReply = z.object({ ok: z.literal(true) });
