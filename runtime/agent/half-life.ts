/** When something that expires is renewed: at half of its remaining life, ±10 %, so that the machines of a fleet do not renew at once. */
import { limits } from '#config/limits.ts';

/**
 * The instant, in milliseconds; `random` gives 0 to 1. `fromMs` is when it was received: a certificate begins a minute earlier, since clocks
 * differ, and half of a short one's whole life would be over by then. At least a few seconds pass, unless it expires sooner.
 */
export function renewAt(fromMs: number, untilMs: number, random: () => number): number {
  const { renewAtShare, renewSpreadShare, renewMsMin, renewShareMax } = limits.agent;
  const share = renewAtShare + (2 * random() - 1) * renewSpreadShare;
  const leftMs = Math.max(0, untilMs - fromMs);
  return fromMs + Math.max(leftMs * share, Math.min(renewMsMin, leftMs * renewShareMax));
}
