/** Challenges and spent answers of a tenant: a desk for as long as it is awake, which is longer than a challenge lives (limits.captcha.challengeMs). */
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { CaptchaDesk } from '#actors/kit/captcha/desk.ts';

const DESK = new Part<CaptchaDesk>('captcha desk');

export function deskOf(activation: Activation): CaptchaDesk {
  const known = DESK.find(activation);
  if (known !== undefined) return known;
  const desk = new CaptchaDesk(activation.context.clock, (bytes) => activation.context.random(bytes));
  DESK.set(activation, desk);
  return desk;
}
