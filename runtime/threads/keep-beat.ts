/** The beat of a thread's event loop, for main's watchdog. The timer does not keep the thread alive. */
import { limits } from '#config/limits.ts';
import { Pulse } from '#actors/host/pulse.ts';

export function keepBeat(pulse: Pulse): void {
  pulse.beat();
  setInterval(() => pulse.beat(), limits.watchdog.beatMs).unref();
}

/** What every worker is started with. */
export interface BeatingData {
  readonly pulse: Int32Array<SharedArrayBuffer>;
}

/** A thread that says nothing of what it is at. */
export function beatOf(data: BeatingData): void {
  keepBeat(new Pulse(data.pulse));
}
