/** Bodies of captchas. Spec: docs/contract/identity-captcha.md §2. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';

/** As ALTCHA's widget reads it (protocol version 1). */
export const challengeReply = z.object({
  algorithm: z.literal('SHA-256'),
  challenge: z.string(),
  maxnumber: z.int(),
  salt: z.string(),
  signature: z.string(),
});

const answer = z.string().max(limits.captcha.answerCharsMax).nullish();

/** Members of every body that a captcha may be asked of: of ALTCHA's widget, and of a provider that is asked. */
export const captchaAnswers = { altcha: answer, captcha: answer } as const;

export interface CaptchaAnswers {
  readonly altcha?: string | null | undefined;
  readonly captcha?: string | null | undefined;
}

/** What a challenge may be asked for. */
export const PURPOSES = ['sign_up', 'guest'] as const;
export type Purpose = (typeof PURPOSES)[number];
