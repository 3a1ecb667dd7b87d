/**
 * What every thread begins with: its clock stands on the node's floor, main ends it at no load of native code, and its event loop beats for
 * main's watchdog. The timer does not keep the thread alive.
 */
import { limits } from '#config/limits.ts';
import { Pulse } from '#actors/host/pulse.ts';
import { standOnFloor } from '#actors/kit/clock.ts';
import { loadGuardOf } from '#runtime/supervisor/load-guard.ts';
import type { LoadCell } from '#runtime/supervisor/load-guard.ts';
import { guardLoads } from '#storage/libc.ts';

export function keepBeat(pulse: Pulse): void {
  pulse.beat();
  setInterval(() => pulse.beat(), limits.watchdog.beatMs).unref();
}

/** What every worker is started with. */
export interface BeatingData {
  readonly pulse: Int32Array<SharedArrayBuffer>;
  readonly loads: LoadCell;
  /** The floor of the node's clock. */
  readonly clock: SharedArrayBuffer;
}

/** First thing in a thread, before anything that reads the clock or loads native code. */
export function beginThread(data: BeatingData): void {
  standOnFloor(data.clock);
  guardLoads(loadGuardOf(data.loads));
}

/** A thread that says nothing of what it is at. */
export function beatOf(data: BeatingData): void {
  beginThread(data);
  keepBeat(new Pulse(data.pulse));
}
