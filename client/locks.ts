/** Web Locks (W3C Web Locks API), whose types programs of Node do not have. */

export interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
  request<T>(name: string, options: LockOptions, work: () => Promise<T>): Promise<T>;
}

interface LockOptions {
  readonly signal?: AbortSignal;
  /** With others that share it. */
  readonly mode?: 'shared';
  /** Takes the lock away from the tab that holds it. */
  readonly steal?: boolean;
}

/** Undefined where they are missing: pages without https, and Node. */
export function locksHere(): Locks | undefined {
  return (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;
}

/** Does the work under a lock of the origin, or without one where there are none. */
export async function underLock<T>(name: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const locks = locksHere();
  return locks === undefined ? work() : locks.request(name, options, work);
}
