/** Probes: whether the service and what it depends on are well (docs/contract/data.md §9.3). */
import { reply, replyText, type Outcome } from '#actors/protocol/route.ts';
import type { Routes } from '../routes.ts';

export interface Dependency {
  readonly State: boolean;
  readonly Message: string;
}

/** What the probes look at, passed in by the code that knows the process. */
export interface Vitals {
  /** By name: the stores and services that this one cannot do without. */
  dependencies(): Readonly<Record<string, Dependency>>;
  /** Bytes, as `process.memoryUsage()` gives them. */
  memory(): Readonly<Record<string, number>>;
  collections(): number;
  uptimeSeconds(): number;
}

const MIB = 1024 * 1024;

/** 200, or 500 with the same body when a dependency is down. */
export function health(vitals: Vitals): Outcome<Routes['health']> {
  const dependencies = vitals.dependencies();
  const healthy = Object.values(dependencies).every((dependency) => dependency.State);
  const memstats = Object.fromEntries(
    Object.entries(vitals.memory()).map(([name, bytes]) => [name, Math.round((bytes / MIB) * 100) / 100]),
  );
  return reply(healthy ? 200 : 500, {
    healthy,
    memstats,
    NumGC: vitals.collections(),
    dependencies,
    version: '',
    uptime_seconds: vitals.uptimeSeconds(),
  });
}

/** `ready:true`, or 500 `ready:false`. */
export function ready(vitals: Vitals): Outcome<Routes['ready']> {
  const up = Object.values(vitals.dependencies()).every((dependency) => dependency.State);
  return replyText(up ? 200 : 500, `ready:${up}`, 'text/plain; charset=utf-8');
}
