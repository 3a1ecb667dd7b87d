/** How many of the node's job threads a host gets: at least one; what cannot be shared equally goes to the first hosts. */
import type { Platform } from '#config/platform.ts';

export function jobThreadsOf({ jobs, hosts }: Pick<Platform, 'jobs' | 'hosts'>, host: number): number {
  return Math.floor(jobs.threads / hosts) + (host < jobs.threads % hosts ? 1 : 0);
}
