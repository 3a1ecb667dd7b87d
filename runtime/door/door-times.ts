/** How long listeners wait for slow callers, by the platform file. */
import type { Platform } from '#config/platform.ts';
import { durationMs } from '#config/values/duration.ts';
import type { DoorTimes } from './port.ts';
import type { Pace } from './transfers.ts';

/** Timeouts of intake's own listener, with the names and the meaning of Go's net/http; the gateway holds callers to a pace instead. */
export function intakeTimes({ intake: { http } }: Platform): DoorTimes {
  return {
    readMs: durationMs(http.read_timeout),
    writeMs: durationMs(http.write_timeout),
    idleMs: durationMs(http.idle_timeout),
  };
}

/** The pace that all other listeners hold callers to. */
export function paceOf({ gateway: { slow_callers: slow } }: Platform): Pace {
  return {
    windowMs: durationMs(slow.window),
    bodyBytesPerSecondMin: slow.body_bytes_per_second,
    answerBytesPerSecondMin: slow.answer_bytes_per_second,
  };
}
