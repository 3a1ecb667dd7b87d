/** What callers of locks, seeds, retention, handoff and materialized fields can be refused with. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const upkeepRefusals = defineRefusals({
  'v2.locked': { statuses: [409], family: 'coded', cause: 'another operation has the lock; `details.lock` says which' },
  'v2.lock_lost': {
    statuses: [409],
    family: 'coded',
    cause: 'the lock was released or ran out while the operation worked; what it had committed stays',
  },
  'v2.missing_claimer': { statuses: [400], family: 'coded', cause: 'the body names no claimer_id' },
  'v2.empty_confirmations': { statuses: [400], family: 'coded', cause: 'the body holds no confirmations' },
  'v2.bad_outcome': {
    statuses: [400],
    family: 'coded',
    cause: 'outcome is none that an event of a trigger, or a submission, can have',
  },
  'v2.bad_time': { statuses: [400], family: 'coded', cause: 'from or to is no instant of RFC 3339' },
  'v2.bad_submission_cursor': {
    statuses: [400],
    family: 'coded',
    cause: 'before or after is not the id of a submission',
  },
  'v2.trigger_event_not_found': {
    statuses: [404],
    family: 'coded',
    cause: 'no event of a trigger with this id waits or ended without success',
  },
  'v2.outbox_full': {
    statuses: [409],
    family: 'coded',
    cause: 'too many events of the trigger wait; retry when some have left',
  },
  'v2.bad_cursor': { statuses: [400], family: 'coded', cause: 'after is not the id of a task' },
  'v2.seed_not_found': { statuses: [404], family: 'coded', cause: 'no seed has one of the names' },
});
