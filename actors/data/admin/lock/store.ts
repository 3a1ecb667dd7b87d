/** Lock rows and the fencing token, in the tenant's datastore. */
import { TABLES } from '#storage/catalogue.ts';
import { StorageFull } from '#storage/fault.ts';
import type { Reader, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';

export type { Reader, Turn } from '#storage/port.ts';

export interface LockRecord {
  readonly id: string;
  readonly resource: string;
  readonly holder_id: string;
  readonly op_kind: string;
  readonly acquired_ms: number;
  readonly expires_ms: number;
  readonly hostname: string;
  readonly plan_id: string;
  /** Larger than that of every lock before it, on any resource. */
  readonly fence: number;
}

const locks = new Table<LockRecord>('lock', TABLES.lock);
const fences = new Table<number>('lock_fence', TABLES.lock_fence);
const LAST = 'last';

export function getLock(reader: Reader, resource: string): LockRecord | undefined {
  return locks.get(reader, resource);
}

export function putLock(turn: Turn, lock: LockRecord): void {
  locks.put(turn, lock, lock.resource);
}

export function dropLock(turn: Turn, resource: string): void {
  locks.del(turn, resource);
}

/** Whether an error says that the overlay or the disk has no room for a write. */
export function isStoreFull(error: unknown): boolean {
  return error instanceof StorageFull;
}

/** By resource. */
export function allLocks(reader: Reader): IterableIterator<LockRecord> {
  return locks.scan(reader);
}

export function nextFence(turn: Turn): number {
  const next = (fences.get(turn, LAST) ?? 0) + 1;
  fences.put(turn, next, LAST);
  return next;
}
