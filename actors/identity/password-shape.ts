/** A password that a user is to have from now on. One that was taken before this rule still logs its user in. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { isCommonPassword } from '#actors/kit/common-passwords.ts';

const { passwordCharsMin, passwordCharsMax } = limits.identity;

/** The words for a refused one: they do not repeat it. */
const TOO_COMMON = 'is one of the most common passwords, which are tried first: choose another one';

export const newPassword = z
  .string()
  .min(passwordCharsMin)
  .max(passwordCharsMax)
  .refine((password) => !isCommonPassword(password), TOO_COMMON);
