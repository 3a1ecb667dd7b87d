/** When something with an end is renewed: at half of the life that is left, ±10 %, so that a fleet does not ask at once. */
import { limits } from '#config/limits.ts';

/**
 * The instant, in milliseconds; `random` gives 0 to 1. `fromMs` is when it was received: a certificate begins a minute earlier, since
 * clocks differ, and half of a short one's whole life would be over by then. Never sooner than a few seconds, unless it ends then.
 */
export function renewAt(fromMs: number, untilMs: number, random: () => number): number {
  const { renewAtShare, renewSpreadShare, renewMsMin, renewShareMax } = limits.agent;
  const share = renewAtShare + (2 * random() - 1) * renewSpreadShare;
  const leftMs = Math.max(0, untilMs - fromMs);
  return fromMs + Math.max(leftMs * share, Math.min(renewMsMin, leftMs * renewShareMax));
}
