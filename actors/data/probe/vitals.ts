/** The vitals of this process. */
import { PerformanceObserver } from 'node:perf_hooks';
import type { Dependency, Vitals } from './health.ts';

let collections: { count: number } | null = null;

/** Garbage collections since the first call; one observer per thread. */
function countCollections(): { count: number } {
  if (collections !== null) return collections;
  const counter = { count: 0 };
  new PerformanceObserver((list) => {
    counter.count += list.getEntries().length;
  }).observe({ entryTypes: ['gc'] });
  return (collections = counter);
}

/** Vitals of the process; `dependencies` is asked on every probe. */
export function processVitals(dependencies: () => Readonly<Record<string, Dependency>>): Vitals {
  const collected = countCollections();
  return {
    dependencies,
    memory: () => ({ ...process.memoryUsage() }),
    collections: () => collected.count,
    uptimeSeconds: () => Math.floor(process.uptime()),
  };
}
