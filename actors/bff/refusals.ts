/** What a caller of the BFF can be refused with (docs/contract/bff.md §5, docs/contract/common.md §3.1). */
import { defineRefusals, refuserOf, WANTS_BEARER } from '#actors/protocol/refusal.ts';
import { RETRY_SOON, RETRY_WHEN_ROOM } from '#actors/protocol/retry-after.ts';

export const refusals = defineRefusals({
  'bff.unauthorized': {
    statuses: [401],
    family: 'coded',
    cause: 'the credential is missing or does not count here',
    headers: WANTS_BEARER,
  },
  'bff.forbidden': { statuses: [403], family: 'coded', cause: 'the endpoint is for callers of another kind' },
  'bff.endpoint_not_found': {
    statuses: [404],
    family: 'coded',
    cause: 'the product declares no endpoint at this path',
  },
  'bff.method_not_allowed': { statuses: [405], family: 'coded', cause: 'the endpoint at this path has another method' },
  'bff.bad_body': { statuses: [400], family: 'coded', cause: 'the body is no JSON' },
  'bff.bad_value': {
    statuses: [400],
    family: 'coded',
    cause: 'a value that a call needs is missing, or cannot stand where it is needed',
  },
  'bff.upstream_failed': {
    statuses: [502, 504],
    family: 'coded',
    cause: 'a call that the answer cannot do without has failed (504: its time was up)',
  },
  'bff.response_failed': {
    statuses: [502],
    family: 'coded',
    cause: 'the answers of the calls are not of the form that the response expects',
  },
  'bff.failed': { statuses: [500], family: 'coded', cause: 'an unexpected fault; it is in the log' },
  'bff.unavailable': {
    statuses: [503],
    family: 'coded',
    cause: 'the service is busy: try again; or the response of the endpoint does not compile',
    headers: RETRY_SOON,
  },
  'bff.storage_full': { statuses: [507], family: 'coded', cause: 'there is no room for it', headers: RETRY_WHEN_ROOM },
});

export const refuse = refuserOf(refusals);
