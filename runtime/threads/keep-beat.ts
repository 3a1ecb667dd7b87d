/**
 * What every thread begins with: its clock does not fall below the node's floor, main does not end it during a load of native code, and its
 * event loop answers main's watchdog. That needs no timer: main sees the idle time of an event loop, and asks only a thread that shows none.
 */
import type { Pulse } from '#actors/host/pulse.ts';
import { standOnFloor } from '#actors/kit/clock.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { settleNow, settleWhenIdle } from '#runtime/collector.ts';
import { recentLines } from '#runtime/observe/recent-lines.ts';
import { nativeGuardOf, type EndCells } from '#runtime/supervisor/end-guard.ts';
import { guardNative } from '#storage/native-guard.ts';

/** Answers the watchdog, and operators who ask for the thread's log, from now on. */
export function keepBeat(channel: Pick<Channel, 'answer'>, pulse: Pulse): void {
  pulse.beat();
  channel.answer('thread.beat', () => {
    pulse.beat();
    return null;
  });
  // Its code is loaded where this is called: a tenant host, which loads more ahead, answers for itself until it is opened.
  channel.answer('thread.await', () => {
    settleNow();
    return null;
  });
  channel.answer('thread.lines', (ask) => recentLines.list(ask));
}

/** The start data of every worker. */
export interface BeatingData {
  readonly pulse: Int32Array<SharedArrayBuffer>;
  readonly endCells: EndCells;
  /** The floor of the node's clock. */
  readonly clock: SharedArrayBuffer;
}

/** To be called first in a thread, before anything reads the clock or loads native code. */
export function beginThread(data: BeatingData): void {
  standOnFloor(data.clock);
  settleWhenIdle();
  guardNative(nativeGuardOf(data.endCells));
}
