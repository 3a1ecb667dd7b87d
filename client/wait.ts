/** Waiting that a signal ends, and how long to wait after a failure. */

/** Resolves after so many milliseconds; rejects with the signal's reason once it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    }, ms);
    signal?.addEventListener('abort', leave, { once: true });
  });
}

/** Twice as long after each failure, up to `mostMs`, and never twice the same, so that callers do not come back all at once. `failures` counts from 1. */
export function backOffMs(failures: number, firstMs: number, mostMs: number): number {
  return Math.min(mostMs, firstMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}
