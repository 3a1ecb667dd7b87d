/** What a caller of the BFF can be refused with (docs/contract/bff.md §5, docs/contract/common.md §3.1). */
import { coded, defineRefusals, refuserOf, WANTS_BEARER } from '#actors/protocol/refusal.ts';
import { RETRY_SOON, RETRY_WHEN_ROOM } from '#actors/protocol/retry-after.ts';

export const refusals = defineRefusals({
  'bff.unauthorized': coded(401, 'the credential is missing or does not count here', WANTS_BEARER),
  'bff.forbidden': coded(403, 'the endpoint is for callers of another kind'),
  'bff.endpoint_not_found': coded(404, 'the product declares no endpoint at this path'),
  'bff.method_not_allowed': coded(405, 'the endpoint at this path has another method'),
  'bff.bad_body': coded(400, 'the body is no JSON'),
  'bff.bad_value': coded(400, 'a value that a call needs is missing, or cannot stand where it is needed'),
  'bff.upstream_failed': coded(
    [502, 504],
    'a call that the answer cannot do without has failed (504: its time was up)',
  ),
  'bff.response_failed': coded(502, 'the answers of the calls are not of the form that the response expects'),
  'bff.failed': coded(500, 'an unexpected fault; it is in the log'),
  'bff.unavailable': coded(
    503,
    'the service is busy: try again; or the response of the endpoint does not compile',
    RETRY_SOON,
  ),
  'bff.storage_full': coded(507, 'there is no room for it', RETRY_WHEN_ROOM),
});

export const refuse = refuserOf(refusals);
