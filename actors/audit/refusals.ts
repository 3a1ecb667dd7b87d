/** Every refusal of the audit service. Source: docs/contract/audit.md §10, docs/contract/common.md §3.1. */
import { defineRefusals, refuserOf, WANTS_BEARER } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';

export const refusals = defineRefusals({
  'audit.bad_request': { statuses: [400], family: 'coded', cause: 'the body or a parameter cannot be read' },
  'audit.unauthorized': {
    statuses: [401],
    family: 'coded',
    cause: 'a bearer token is needed that counts for this log',
    headers: WANTS_BEARER,
  },
  'audit.forbidden': { statuses: [403], family: 'coded', cause: 'the credential does not allow this on this log' },
  'audit.log_not_found': { statuses: [404], family: 'coded', cause: 'no log has this id' },
  'audit.not_found': { statuses: [404], family: 'coded', cause: 'the log has no such record, tile or size' },
  'audit.duplicate': {
    statuses: [409],
    family: 'coded',
    cause: 'the source has used this number for an earlier record',
  },
  'audit.refused': {
    statuses: [409],
    family: 'coded',
    cause: 'the log refuses to be written: fork, rollback or damage',
  },
  'audit.too_many_sources': {
    statuses: [422],
    family: 'coded',
    cause: 'the log remembers the numbers of as many sources as it can; use one that it knows, or none',
  },
  'audit.too_large': { statuses: [413], family: 'coded', cause: 'the body or the number of records is over its bound' },
  'audit.internal': { statuses: [500], family: 'coded', cause: 'the service failed' },
  'audit.unavailable': {
    statuses: [503],
    family: 'coded',
    cause: 'too many records wait; try again later',
    headers: RETRY_SOON,
  },
  'audit.storage_full': { statuses: [507], family: 'coded', cause: 'the disk has no room for the record' },
});

export const refuse = refuserOf(refusals);
