/** Bodies of logins with a mailed code. Spec: docs/contract/identity-mails.md §5. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { login, otp } from '../user/shapes.ts';

/** People copy a code with spaces and hyphens. Any text is taken: a malformed code answers as a wrong one does. */
const code = z
  .string()
  .min(1)
  .max(limits.identity.otpCharsMax)
  .transform((text) => text.replaceAll(/[\s-]/g, ''));

export const consumeCodeRequest = z.object({ login, code, otp });
