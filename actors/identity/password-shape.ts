/** The shape of a new password. A password that was set before this rule still logs its user in. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { isCommonPassword } from '#actors/kit/common-passwords.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from './refusals.ts';

const { passwordCharsMin, passwordCharsMax } = limits.identity;

/** The message for a refused password; it does not repeat the password. */
const TOO_COMMON = 'is one of the most common passwords, which are tried first: choose another one';

export const newPassword = z
  .string()
  .min(passwordCharsMin)
  .max(passwordCharsMax)
  .refine((password) => !isCommonPassword(password), TOO_COMMON);

/** The refusal of a new password that is shorter than the product asks (`accounts.password` of product.yaml). */
export function shortPassword({ product }: Activation, password: string): Refusal<'bad_request'> | null {
  const least = product.settings.accounts?.password?.min_length ?? passwordCharsMin;
  if (password.length >= least) return null;
  return refuse('bad_request', { message: `password: the product asks for at least ${least} characters` });
}
