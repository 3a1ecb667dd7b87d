/**
 * Callers that write faster than LMDB follows are slowed down before any is refused: the fuller the overlay, the later the answers of
 * writes leave. A caller that waits for its answers then writes at a pace that can last; one that does not wait meets the 503 of a full
 * overlay.
 */
import { limits } from '#config/limits.ts';

const { brakeFrom, brakeMsMax } = limits.host;

/** How long the answer of a write waits, in milliseconds, at this share of the overlay (0 to 1). */
export function brakeMs(pressure: number): number {
  if (pressure <= brakeFrom) return 0;
  return Math.ceil((brakeMsMax * (Math.min(pressure, 1) - brakeFrom)) / (1 - brakeFrom));
}
