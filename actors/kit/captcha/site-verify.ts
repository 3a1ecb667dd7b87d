/**
 * Asks the provider of a captcha whether an answer counts (`siteverify`): Turnstile, hCaptcha and reCAPTCHA take one form, `secret` and `response`,
 * and answer JSON with `success`. The provider counts each answer once. The caller's address is not sent: it is personal, and optional with all three.
 */
import { OutboundFault } from '../outbound/fault.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { AskedCaptcha, SiteVerifyName } from '#config/definitions/captcha-section.ts';

const URLS: Readonly<Record<SiteVerifyName, string>> = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
};

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' } as const;

/** What is wrong on the site's side, not on the caller's: these are told apart so that the operator hears of them. */
const OURS = [
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
  'bad-request',
  'internal-error',
];

export type Verdict =
  | { readonly is: 'good' }
  | { readonly is: 'bad' }
  | { readonly is: 'unknown'; readonly why: string };

/** `unknown` where the provider did not say: it cannot be reached, answers nonsense, or does not take the site's secret. */
export async function siteVerify(
  outbound: Outbound,
  { provider, secret, url }: AskedCaptcha,
  response: string,
): Promise<Verdict> {
  const body = new URLSearchParams({ secret, response }).toString();
  try {
    const answer = await outbound.fetch(new URL(url ?? URLS[provider]), { method: 'POST', headers: FORM, body });
    return verdictOf(await answer.json().catch(() => null), answer.status);
  } catch (error) {
    if (!(error instanceof OutboundFault)) throw error;
    return { is: 'unknown', why: error.message };
  }
}

function verdictOf(said: unknown, status: number): Verdict {
  const { success, 'error-codes': codes } = (said ?? {}) as { success?: unknown; 'error-codes'?: unknown };
  if (success === true && status === 200) return { is: 'good' };
  if (success !== false) return { is: 'unknown', why: `status ${status} without \`success\`` };
  const ours = Array.isArray(codes) ? codes.find((code) => OURS.includes(String(code))) : undefined;
  return ours === undefined ? { is: 'bad' } : { is: 'unknown', why: String(ours) };
}
