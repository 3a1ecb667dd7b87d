/** Logs that a job thread ended by itself. */
import type { Platform } from '#config/platform.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';

export function warnOfJob(platform: Platform, error: unknown): void {
  threadLogger(platform, 'jobs').warn(
    { err: error },
    'a job thread ended by itself: a job that it ran has failed, and the next one gets a new thread',
  );
}
