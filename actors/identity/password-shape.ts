/** The shape of a new password. A password that was set before this rule still logs its user in. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { isCommonPassword } from '#actors/kit/common-passwords.ts';

const { passwordCharsMin, passwordCharsMax } = limits.identity;

/** The message for a refused password; it does not repeat the password. */
const TOO_COMMON = 'is one of the most common passwords, which are tried first: choose another one';

export const newPassword = z
  .string()
  .min(passwordCharsMin)
  .max(passwordCharsMax)
  .refine((password) => !isCommonPassword(password), TOO_COMMON);
