/** What callers of locks, seeds, retention, handoff and materialized fields can be refused with. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const upkeepRefusals = defineRefusals({
  'v2.locked': coded(409, 'another operation has the lock; `details.lock` says which'),
  'v2.lock_lost': coded(
    409,
    'the lock was released or ran out while the operation worked; what it had committed stays',
  ),
  'v2.missing_claimer': coded(400, 'the body names no claimer_id'),
  'v2.empty_confirmations': coded(400, 'the body holds no confirmations'),
  'v2.bad_outcome': coded(400, 'outcome is none that an event of a trigger, or a submission, can have'),
  'v2.bad_time': coded(400, 'from or to is no instant of RFC 3339'),
  'v2.bad_submission_cursor': coded(400, 'before or after is not the id of a submission'),
  'v2.trigger_event_not_found': coded(404, 'no event of a trigger with this id waits or ended without success'),
  'v2.outbox_full': coded(409, 'too many events of the trigger wait; retry when some have left'),
  'v2.bad_cursor': coded(400, 'after is not the id of a task'),
  'v2.seed_not_found': coded(404, 'no seed has one of the names'),
});
