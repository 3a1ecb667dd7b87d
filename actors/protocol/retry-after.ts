/** When a refused caller may try again (RFC 9110 §10.2.3): the only file that writes this header. */
import { limits } from '#config/limits.ts';

export const RETRY_AFTER = 'Retry-After';

/** Headers of an answer that names how many seconds to wait. */
export function retryAfter(seconds: number): Readonly<Record<string, string>> {
  return { [RETRY_AFTER]: String(seconds) };
}

/** Where work is refused that a moment later may find room. */
export const RETRY_SOON = retryAfter(limits.host.retryAfterSeconds);
/** Where the disk is full. */
export const RETRY_WHEN_ROOM = retryAfter(limits.storage.fullRetrySeconds);
/** Where the threads of jobs are all taken. */
export const RETRY_AFTER_JOBS = retryAfter(limits.jobs.retryAfterSeconds);
