/** Refusals of captchas. Spec: docs/contract/identity-captcha.md §3. */
import { limits } from '#config/limits.ts';
import { defineRefusals } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';

export const captchaRefusals = defineRefusals({
  no_captcha: {
    statuses: [404],
    family: 'coded',
    cause: 'the node makes no challenges for this product (product.yaml: accounts.captcha: altcha)',
  },
  captcha_required: {
    statuses: [400],
    family: 'coded',
    cause: 'a captcha is required: show its widget and send its answer with the body',
  },
  captcha_invalid: {
    statuses: [400],
    family: 'coded',
    cause: 'the answer to the captcha does not count, is over, or has counted already: let the widget begin again',
  },
  captcha_unavailable: {
    statuses: [503],
    family: 'coded',
    cause: 'answers to captchas cannot be checked now; try again later',
    headers: retryAfter(limits.captcha.retrySeconds),
  },
});
