/**
 * Limits guesses per user, from all addresses together (RFC 4226 §7.3; RFC 6238 §5.1 "brute force"): the door's buckets count callers only. While
 * the allowance of a subject is spent, every code is refused unread.
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

/** The table of the tenant, made on first use. */
export function wrongCodesOf(activation: Activation): WrongCodes {
  let part = activation.parts.get(PART) as WrongCodes | undefined;
  if (part === undefined) activation.parts.set(PART, (part = new WrongCodes()));
  return part;
}
