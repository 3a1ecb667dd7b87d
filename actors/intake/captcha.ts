/** The captcha of a form: ALTCHA's proof of work, where the form asks for it. A form without one pays for none. */
import type { Call } from '#actors/host/call.ts';
import type { CaptchaDesk } from '#actors/kit/captcha/desk.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { CompiledForm } from './compile-form.ts';
import { CAPTCHA_FIELD, valueOf, type Input } from './input.ts';
import { refuse } from './refusals.ts';
import type { IntakeRoutes } from './routes.ts';

/** Forms have no tenant. */
const boundOf = (form: string) => ({ position: '', purpose: `form ${form}` });

/** `GET /f/{id}/captcha`. */
export function giveChallenge(
  desk: CaptchaDesk,
  forms: ReadonlyMap<string, CompiledForm>,
  call: Call,
): Outcome<IntakeRoutes['captcha']> {
  const form = forms.get(call.param('id'));
  if (form === undefined) return refuse('intake.unknown_form');
  if (form.captcha === undefined) return refuse('intake.no_captcha');
  return reply(200, desk.give(boundOf(form.id), form.captcha.difficulty), { 'Cache-Control': 'no-store' });
}

/** What `CaptchaDesk.spend` takes, by the body's answer; it is spent when the submission is stored, so that a mended one may show it again. */
export function shownProof(
  desk: CaptchaDesk,
  form: string,
  input: Input,
): string | Refusal<'intake.captcha_required' | 'intake.captcha_invalid'> {
  const answer = valueOf(input, CAPTCHA_FIELD);
  if (typeof answer !== 'string' || answer === '') return refuse('intake.captcha_required');
  return desk.check(answer, boundOf(form)) ?? refuse('intake.captcha_invalid');
}
