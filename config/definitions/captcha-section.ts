/** `captcha` of a product's accounts and of a form: what a caller has to show before anything else is done. Source: docs/contract/identity-captcha.md §1. */
import * as z from 'zod';
import { limits } from '../limits.ts';
import * as kit from '../schema-kit.ts';

const { difficultyMin, difficulty, difficultyMax } = limits.captcha;

/** ALTCHA's proof of work: the node makes the challenges and verifies the answers itself. */
export interface AltchaCaptcha {
  readonly provider: 'altcha';
  /** The largest number that a page may have to find. */
  readonly difficulty: number;
}

/** A service that shows the captcha itself, and is asked whether an answer counts (`siteverify`). */
export interface AskedCaptcha {
  readonly provider: SiteVerifyName;
  readonly secret: string;
  /** Instead of the provider's own. */
  readonly url?: string | undefined;
}

const SITE_VERIFY = ['turnstile', 'hcaptcha', 'recaptcha'] as const;
export type SiteVerifyName = (typeof SITE_VERIFY)[number];
export type CaptchaDefinition = AltchaCaptcha | AskedCaptcha;

const altcha = kit.entry({
  provider: kit.oneOf(['altcha']).meta({ about: 'a proof of work that the node gives and verifies itself' }),
  difficulty: kit
    .whole(difficultyMin, difficultyMax, difficulty)
    .default(difficulty)
    .meta({ about: 'the largest number that a page may have to find' }),
});

const asked = kit.entry({
  provider: kit
    .oneOf(SITE_VERIFY)
    .meta({ about: 'a service that shows the captcha and is asked whether an answer counts' }),
  secret: kit.secret('the secret that the provider gave the site').meta({ about: 'shows the provider who asks' }),
  url: kit
    .httpUrl('the URL that is asked whether an answer counts')
    .optional()
    .meta({ about: 'where it is asked, instead of its usual address' }),
});

/** The name of a provider alone stands for a map with nothing else; what is no name stays as it is written, and is reported so. */
const named =
  (...names: readonly string[]) =>
  (value: unknown): unknown =>
    typeof value === 'string' && names.includes(value) ? { provider: value } : value;

/** The proof of work alone: what takes forms has no way to ask outside before it answers. */
export const formCaptcha = z
  .preprocess(named('altcha'), altcha)
  .meta({ description: 'altcha, or a map with the keys provider and difficulty', example: 'altcha' })
  .meta({ short: { enum: ['altcha'] } });

export const accountsCaptcha = z
  .preprocess(named('altcha', ...SITE_VERIFY), z.discriminatedUnion('provider', [altcha, asked]))
  .meta({ description: `altcha, or a map whose provider is altcha, ${SITE_VERIFY.join(', ')}`, example: 'altcha' })
  .meta({ short: { enum: ['altcha', ...SITE_VERIFY] } });
