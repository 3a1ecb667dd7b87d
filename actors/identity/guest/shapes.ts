/** Bodies of guests. Unknown members are refused: a misspelt one would do nothing. Spec: docs/contract/identity-guests.md. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { captchaAnswers } from '../captcha/shapes.ts';

export const guestRequest = z.strictObject(captchaAnswers);
export const upgradeRequest = z.strictObject({
  email: z.email().max(limits.identity.emailCharsMax),
  ...captchaAnswers,
});
