/** Every refusal of the audit service. Source: docs/contract/audit.md §10, docs/contract/common.md §3.1. */
import { coded, defineRefusals, refuserOf, WANTS_BEARER } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';

export const refusals = defineRefusals({
  'audit.bad_request': coded(400, 'the body or a parameter cannot be read'),
  'audit.unauthorized': coded(401, 'a bearer token is needed that counts for this log', WANTS_BEARER),
  'audit.forbidden': coded(403, 'the credential does not allow this on this log'),
  'audit.log_not_found': coded(404, 'no log has this id'),
  'audit.not_found': coded(404, 'the log has no such record, tile or size'),
  'audit.duplicate': coded(409, 'the source has used this number for an earlier record'),
  'audit.refused': coded(409, 'the log refuses to be written: fork, rollback or damage'),
  'audit.too_many_sources': coded(
    422,
    'the log remembers the numbers of as many sources as it can; use one that it knows, or none',
  ),
  'audit.too_large': coded(413, 'the body or the number of records is over its bound'),
  'audit.internal': coded(500, 'the service failed'),
  'audit.unavailable': coded(503, 'too many records wait; try again later', RETRY_SOON),
  'audit.storage_full': coded(507, 'the disk has no room for the record'),
});

export const refuse = refuserOf(refusals);

/** The database that keeps the records does not answer, or not in time. */
export function refuseAway() {
  return refuse('audit.unavailable', {
    message: 'the database that keeps the records does not answer, or another node has taken the log; try again later',
  });
}
