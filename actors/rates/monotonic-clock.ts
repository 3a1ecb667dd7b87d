/** Milliseconds that never step back and are the same in every thread of the process; their origin is arbitrary. */
import type { Clock } from '#actors/kit/clock.ts';

export const monotonicClock: Clock = { now: () => Number(process.hrtime.bigint()) / 1e6 };
