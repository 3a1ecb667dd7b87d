/** Every refusal of the intake service. Spec: docs/contract/intake.md §4.4, §9, §10. */
import { limits } from '#config/limits.ts';
import { defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';

export const refusals = defineRefusals({
  'intake.bad_request': { statuses: [400], family: 'coded', cause: 'the body or a header cannot be read' },
  'intake.captcha_required': {
    statuses: [400],
    family: 'coded',
    cause: "the form asks for a captcha: show ALTCHA's widget and send its answer as the field `altcha`",
  },
  'intake.captcha_invalid': {
    statuses: [400],
    family: 'coded',
    cause: 'the answer to the captcha does not count, is over, or has counted already: let the widget begin again',
  },
  'intake.no_captcha': { statuses: [404], family: 'coded', cause: 'the form asks for no captcha' },
  'intake.forbidden': { statuses: [403], family: 'coded', cause: 'the gateway secret is missing or wrong' },
  'intake.unknown_form': { statuses: [404], family: 'coded', cause: 'no form has this id' },
  'intake.read_timeout': {
    statuses: [408],
    family: 'coded',
    cause: 'the body did not arrive within http.read_timeout',
  },
  'intake.too_large': { statuses: [413], family: 'coded', cause: 'the body is larger than http.max_body_bytes' },
  'intake.unsupported_media_type': { statuses: [415], family: 'coded', cause: 'the content type is not on the list' },
  'intake.validation': { statuses: [422], family: 'coded', cause: 'the submission does not fit the form' },
  'intake.idempotency_mismatch': {
    statuses: [422],
    family: 'coded',
    cause: 'the idempotency key was used with another submission',
  },
  'intake.rate_limited': { statuses: [429], family: 'coded', cause: 'too many submissions from this address' },
  'intake.internal': { statuses: [500], family: 'coded', cause: 'the submission could not be stored' },
  'intake.shedding': {
    statuses: [503],
    family: 'coded',
    cause: 'too many submissions; try again later',
    headers: retryAfter(limits.intake.retryAfterSeconds),
  },
});

export type IntakeRefusalCode = keyof typeof refusals;

export const refuse = refuserOf(refusals);
