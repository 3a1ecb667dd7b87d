/** The rate-keeper's shell: sweeps the shared bucket table in slices. The door decides about requests without asking it. */
import type { MessagePort } from 'node:worker_threads';
import type { Platform } from '#config/platform.ts';
import { limits } from '#config/limits.ts';
import { RateKeeper } from '#actors/rates/keeper.ts';
import { monotonicClock } from '#actors/rates/monotonic-clock.ts';
import { Channel } from '#actors/protocol/channel.ts';
import { profilesOf } from '#runtime/door/rates.ts';
import { Pulse } from '#actors/host/pulse.ts';
import { keepBeat, type BeatingData } from './keep-beat.ts';

export interface RateKeeperData extends BeatingData {
  readonly platform: Platform;
  readonly rates: SharedArrayBuffer;
}

export function runRateKeeper(port: MessagePort, data: RateKeeperData): void {
  const channel = new Channel(port, 'rate-keeper', 'main');
  keepBeat(channel, new Pulse(data.pulse));
  const keeper = new RateKeeper(data.rates, profilesOf(data.platform), monotonicClock);
  const sweep = (): void => {
    const complete = keeper.sweep();
    setTimeout(sweep, complete ? limits.rateTable.sweepMs : 1);
  };
  sweep();
  channel.answer('thread.drain', () => null);
}
