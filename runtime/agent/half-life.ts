/** When something with an end is renewed: at half its life, ±10 %, so that a fleet does not ask at once. */
import { limits } from '#config/limits.ts';

/** The instant, in milliseconds; `random` gives 0 to 1. */
export function renewAt(fromMs: number, untilMs: number, random: () => number): number {
  const { renewAtShare, renewSpreadShare } = limits.agent;
  const share = renewAtShare + (2 * random() - 1) * renewSpreadShare;
  return fromMs + (untilMs - fromMs) * share;
}
