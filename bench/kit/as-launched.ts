/** What the launcher (runtime/cli/skep) gives a process before it begins, for nodes that a bench forks. */
import { availableParallelism } from 'node:os';

export const LAUNCHED_ARGS: readonly string[] = [
  `--v8-pool-size=${Math.min(4, Math.max(1, availableParallelism() - 1))}`,
];

export const LAUNCHED_ENV = { UV_THREADPOOL_SIZE: '64' } as const;
