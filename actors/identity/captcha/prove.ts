/** What comes before anything that costs: the answer to a captcha, where the product asks for one. It says nothing of accounts, because it looks at none. */
import type { AskedCaptcha, CaptchaDefinition } from '#config/definitions/captcha-section.ts';
import type { Call } from '#actors/host/call.ts';
import { siteVerify } from '#actors/kit/captcha/site-verify.ts';
import { Seldom } from '#actors/kit/seldom.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Identity } from '../identity.ts';
import { refuse } from '../refusals.ts';
import { deskOf } from './desk.ts';
import type { CaptchaAnswers, Purpose } from './shapes.ts';

export type CaptchaRefusal = Refusal<'captcha_required' | 'captcha_invalid' | 'captcha_unavailable'>;

/** The caller may go on. */
export interface Proven {
  readonly kind: 'proven';
  /** The answer may count once more: what it was shown for did not come about. */
  giveBack(): void;
}

const SELDOM = new Seldom();
const PROVEN: Proven = { kind: 'proven', giveBack: () => undefined };

/** Spends the answer. Only a provider has to be waited for; then the call's turn is over, and the caller begins another. */
export function proveCaptcha(
  identity: Identity,
  call: Call,
  asked: CaptchaDefinition | undefined,
  { altcha, captcha }: CaptchaAnswers,
  purpose: Purpose,
): Proven | CaptchaRefusal | Promise<Proven | CaptchaRefusal> {
  if (asked === undefined) return PROVEN;
  const member = asked.provider === 'altcha' ? 'altcha' : 'captcha';
  const answer = (asked.provider === 'altcha' ? altcha : captcha) ?? '';
  if (answer === '')
    return refuse('captcha_required', {
      message: `a captcha is required: send the answer of its widget as \`${member}\``,
      details: { provider: asked.provider, member },
    });
  return asked.provider === 'altcha' ? byWork(call, answer, purpose) : byAsking(identity, call, asked, answer);
}

function byWork({ activation }: Call, answer: string, purpose: Purpose): Proven | CaptchaRefusal {
  const desk = deskOf(activation);
  const nonce = desk.check(answer, { position: activation.position.key, purpose });
  if (nonce === null) return refuse('captcha_invalid');
  const spent = desk.spend(nonce);
  if (spent === 'full')
    return refuse('captcha_unavailable', { message: 'too many answers to captchas wait for their end' });
  return spent === 'again' ? refuse('captcha_invalid') : { kind: 'proven', giveBack: () => desk.giveBack(nonce) };
}

/** A provider that does not say keeps everybody out: a product that asks for a captcha would rather turn people away than let programs in. */
async function byAsking(
  identity: Identity,
  call: Call,
  asked: AskedCaptcha,
  answer: string,
): Promise<Proven | CaptchaRefusal> {
  const { context, position } = call.activation;
  const verdict = await siteVerify(identity.outbound, asked, answer);
  call.nextTurn();
  if (verdict.is === 'good') return PROVEN;
  if (verdict.is === 'bad') return refuse('captcha_invalid');
  const leftOut = SELDOM.leftOut(position.key, context.clock.now());
  if (leftOut !== null)
    context.log.warn(
      { service: 'identity', tenant: position.key, provider: asked.provider, why: verdict.why, leftOut },
      'the provider of the captcha did not say whether an answer counts, so no person can sign up: check accounts.captcha of product.yaml, and outbound of the platform file',
    );
  return refuse('captcha_unavailable');
}
