/** Every refusal of the intake service. Spec: docs/contract/intake.md §4.4, §9, §10. */
import { limits } from '#config/limits.ts';
import { coded, defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';

export const refusals = defineRefusals({
  'intake.bad_request': coded(400, 'the body or a header cannot be read'),
  'intake.captcha_required': coded(
    400,
    "the form asks for a captcha: show ALTCHA's widget and send its answer as the field `altcha`",
  ),
  'intake.captcha_invalid': coded(
    400,
    'the answer to the captcha does not count, is over, or has counted already: let the widget begin again',
  ),
  'intake.no_captcha': coded(404, 'the form asks for no captcha'),
  'intake.forbidden': coded(403, 'the gateway secret is missing or wrong'),
  'intake.unknown_form': coded(404, 'no form has this id'),
  'intake.read_timeout': coded(408, 'the body did not arrive within http.read_timeout'),
  'intake.too_large': coded(413, 'the body is larger than http.max_body_bytes'),
  'intake.unsupported_media_type': coded(415, 'the content type is not on the list'),
  'intake.validation': coded(422, 'the submission does not fit the form'),
  'intake.idempotency_mismatch': coded(422, 'the idempotency key was used with another submission'),
  'intake.rate_limited': coded(429, 'too many submissions from this address'),
  'intake.internal': coded(500, 'the submission could not be stored'),
  'intake.shedding': coded(503, 'too many submissions; try again later', retryAfter(limits.intake.retryAfterSeconds)),
});

export type IntakeRefusalCode = keyof typeof refusals;

export const refuse = refuserOf(refusals);
