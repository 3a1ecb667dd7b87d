/**
 * Throttles guesses per user, whatever address they come from (RFC 4226 §7.3; RFC 6238 §5.1 "brute force"): the door's buckets
 * count callers only. While a subject's allowance is spent its codes are not looked at, right or wrong.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Allowances } from '../allowances.ts';

const PART = 'identity.mfa';
const { wrongCodesBurst, wrongCodeEveryMs, wrongCodeEntriesMax } = limits.mfa;

export class WrongCodes extends Allowances {
  constructor() {
    super({ burst: wrongCodesBurst, everyMs: wrongCodeEveryMs, entriesMax: wrongCodeEntriesMax });
  }
}

/** The tenant's own; made when first asked for. */
export function wrongCodesOf(activation: Activation): WrongCodes {
  let part = activation.parts.get(PART) as WrongCodes | undefined;
  if (part === undefined) activation.parts.set(PART, (part = new WrongCodes()));
  return part;
}
