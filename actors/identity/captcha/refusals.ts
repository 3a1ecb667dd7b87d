/** Refusals of captchas. Spec: docs/contract/identity-captcha.md §3. */
import { limits } from '#config/limits.ts';
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';

export const captchaRefusals = defineRefusals({
  no_captcha: coded(404, 'the node makes no challenges for this product (product.yaml: accounts.captcha: altcha)'),
  captcha_required: coded(400, 'a captcha is required: show its widget and send its answer with the body'),
  captcha_invalid: coded(
    400,
    'the answer to the captcha does not count, is over, or has counted already: let the widget begin again',
  ),
  captcha_unavailable: coded(
    503,
    'answers to captchas cannot be checked now; try again later',
    retryAfter(limits.captcha.retrySeconds),
  ),
});
