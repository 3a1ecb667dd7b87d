/** What every thread begins with: its clock stands on the node's floor, and its event loop beats for main's watchdog. The timer does not keep the thread alive. */
import { limits } from '#config/limits.ts';
import { Pulse } from '#actors/host/pulse.ts';
import { standOnFloor } from '#actors/kit/clock.ts';

export function keepBeat(pulse: Pulse): void {
  pulse.beat();
  setInterval(() => pulse.beat(), limits.watchdog.beatMs).unref();
}

/** What every worker is started with. */
export interface BeatingData {
  readonly pulse: Int32Array<SharedArrayBuffer>;
  /** The floor of the node's clock. */
  readonly clock: SharedArrayBuffer;
}

/** A thread that says nothing of what it is at. */
export function beatOf(data: BeatingData): void {
  standOnFloor(data.clock);
  keepBeat(new Pulse(data.pulse));
}
