/**
 * Locks of a tenant: durable rows that give one operation the sole right to a resource (docs/contract/data-admin.md §6). A row is taken and
 * given back in a turn of the tenant's actor, so that two operations never both win. Each lock has a fencing token: work under a lock checks
 * in every turn that the row still holds its token, and stages nothing where it does not.
 *
 *     free ──take──▶ held ──release, break──▶ free
 *                    │  ▲
 *            expiry  ▼  │ heartbeat
 *                   expired (a row still; the next taker replaces it)
 */
import { limits } from '#config/limits.ts';
import { allLocks, dropLock, getLock, nextFence, putLock, type LockRecord, type Reader, type Turn } from './store.ts';

export type { LockRecord } from './store.ts';

export interface LockWish {
  readonly id: string;
  readonly resource: string;
  readonly holder: string;
  readonly opKind: string;
  readonly hostname: string;
  readonly planId: string;
  /** Other resources whose locks must be free meanwhile. */
  readonly apartFrom?: readonly string[];
}

/** Another operation has the lock. */
export interface Held {
  readonly kind: 'held';
  readonly by: LockRecord;
}

/** Another operation has taken the lock, or an operator has released it: the work under it stages nothing more. */
export class LockLost extends Error {
  readonly resource: string;

  constructor(resource: string) {
    super(`the lock ${resource} was lost: it expired, or an operator released it`);
    this.resource = resource;
  }
}

/** Stages a lock. `isAtWork` tells whether a holder is still running; the lock of one that is not is free before it expires. */
export function takeLock(
  turn: Turn,
  nowMs: number,
  wish: LockWish,
  isAtWork: (holder: string) => boolean,
): LockRecord | Held {
  for (const resource of [wish.resource, ...(wish.apartFrom ?? [])]) {
    const present = getLock(turn, resource);
    if (present !== undefined && present.expires_ms > nowMs && isAtWork(present.holder_id))
      return { kind: 'held', by: present };
  }
  const { id, resource, holder, opKind, hostname, planId } = wish;
  const lock: LockRecord = {
    id,
    resource,
    holder_id: holder,
    op_kind: opKind,
    acquired_ms: nowMs,
    expires_ms: nowMs + limits.locks.ttlMs,
    hostname,
    plan_id: planId,
    fence: nextFence(turn),
  };
  putLock(turn, lock);
  return lock;
}

export function isHeld(taken: LockRecord | Held): taken is Held {
  return 'kind' in taken;
}

/** The lock's row. Throws LockLost where it was removed or replaced. An expired lock counts until another operation takes it. */
export function checkLock(reader: Reader, { resource, fence }: LockRecord): LockRecord {
  const present = getLock(reader, resource);
  if (present === undefined || present.fence !== fence) throw new LockLost(resource);
  return present;
}

/** Stages a later expiry, at most once in `locks.beatMs`. Throws LockLost. */
export function beatLock(turn: Turn, nowMs: number, lock: LockRecord): void {
  const present = checkLock(turn, lock);
  const beatenMs = present.expires_ms - limits.locks.ttlMs;
  if (nowMs - beatenMs >= limits.locks.beatMs) putLock(turn, { ...present, expires_ms: nowMs + limits.locks.ttlMs });
}

/** Stages the end of a lock by its holder; nothing where the lock was lost. */
export function releaseLock(turn: Turn, { resource, fence }: LockRecord): void {
  if (getLock(turn, resource)?.fence === fence) dropLock(turn, resource);
}

/** Stages the end of a lock by an operator: its holder fails at the next heartbeat. Gives the row that was there. */
export function breakLock(turn: Turn, resource: string): LockRecord | undefined {
  const present = getLock(turn, resource);
  if (present !== undefined) dropLock(turn, resource);
  return present;
}

export interface LockFilter {
  readonly prefix: string;
  /** '' for every kind. */
  readonly opKind: string;
  readonly includeExpired: boolean;
}

/** Locks by resource, up to a bound. */
export function findLocks(reader: Reader, nowMs: number, { prefix, opKind, includeExpired }: LockFilter): LockRecord[] {
  const found: LockRecord[] = [];
  for (const lock of allLocks(reader)) {
    if (!lock.resource.startsWith(prefix) || (opKind !== '' && lock.op_kind !== opKind)) continue;
    if (!includeExpired && lock.expires_ms <= nowMs) continue;
    if (found.push(lock) === limits.locks.listMax) break;
  }
  return found;
}
