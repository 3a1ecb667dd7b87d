/** The lock object of the contract (docs/contract/data-admin.md §6). The fencing token is not shown. */
import { timestamp } from '#actors/kit/clock.ts';
import type { ShownLock } from '#actors/protocol/upkeep-shapes.ts';
import type { LockRecord } from './lock.ts';

export function showLock({ acquired_ms, expires_ms, ...lock }: LockRecord, nowMs: number): ShownLock {
  return {
    id: lock.id,
    resource: lock.resource,
    holder_id: lock.holder_id,
    op_kind: lock.op_kind,
    acquired_at: timestamp(acquired_ms),
    expires_at: timestamp(expires_ms),
    hostname: lock.hostname,
    plan_id: lock.plan_id,
    is_expired: expires_ms <= nowMs,
    seconds_to_expiry: Math.max(0, Math.floor((expires_ms - nowMs) / 1000)),
  };
}
