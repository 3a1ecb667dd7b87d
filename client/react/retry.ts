/** When TanStack Query asks again. */
import { SkepError } from '../errors.ts';
import { isPassing } from '../transport.ts';

const FAILURES_MAX = 3;
const WAIT_MS_MAX = 30_000;

/** The client has sent it several times by then, so that this is for longer outages. What the node refuses, it refuses the next time, too. */
export const READS_AGAIN = {
  retry: (failures: number, error: Error): boolean =>
    failures < FAILURES_MAX && error instanceof SkepError && isPassing(error),
  retryDelay: (failures: number, error: Error): number => {
    const asked = error instanceof SkepError ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(asked, Math.min(1000 * 2 ** failures, WAIT_MS_MAX));
  },
} as const;
