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

/** What is wrong with a new password that is shorter than the product asks (`accounts.password` of product.yaml); null when nothing is. */
export function shortness({ product }: Activation, password: string): string | null {
  const least = product.settings.accounts?.password?.min_length ?? passwordCharsMin;
  return password.length >= least ? null : `password: the product asks for at least ${least} characters`;
}

export function shortPassword(activation: Activation, password: string): Refusal<'bad_request'> | null {
  const message = shortness(activation, password);
  return message === null ? null : refuse('bad_request', { message });
}
