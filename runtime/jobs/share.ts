/** How the node's job threads are shared out: every host has one at least, the first hosts those that are left. */
import type { Platform } from '#config/platform.ts';

export function jobThreadsOf({ jobs, hosts }: Pick<Platform, 'jobs' | 'hosts'>, host: number): number {
  return Math.floor(jobs.threads / hosts) + (host < jobs.threads % hosts ? 1 : 0);
}
