/**
 * What every thread begins with: its clock stands on the node's floor, main ends it at no load of native code, and its event loop answers
 * main's watchdog. A thread has no timer for that: one that waits for events shows main its idle time, and only a thread that shows nothing is asked.
 */
import type { Pulse } from '#actors/host/pulse.ts';
import { standOnFloor } from '#actors/kit/clock.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { loadGuardOf } from '#runtime/supervisor/load-guard.ts';
import type { LoadCell } from '#runtime/supervisor/load-guard.ts';
import { guardLoads } from '#storage/libc.ts';

/** Answers the watchdog from now on. */
export function keepBeat(channel: Pick<Channel, 'answer'>, pulse: Pulse): void {
  pulse.beat();
  channel.answer('thread.beat', () => {
    pulse.beat();
    return null;
  });
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
