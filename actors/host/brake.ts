/**
 * Callers who write faster than LMDB follows are slowed down before anybody is turned away: the fuller the overlay, the later the
 * answers of writes leave. Who waits for answers then writes at the pace that lasts; who does not meets the full overlay's 503.
 */
import { limits } from '#config/limits.ts';

const { brakeFrom, brakeMsMax } = limits.host;

/** How long the answer of a write waits, in milliseconds, at this share of the overlay (0 to 1). */
export function brakeMs(pressure: number): number {
  if (pressure <= brakeFrom) return 0;
  return Math.ceil((brakeMsMax * (Math.min(pressure, 1) - brakeFrom)) / (1 - brakeFrom));
}
