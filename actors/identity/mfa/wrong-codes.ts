/**
 * Limits guesses per user, from all addresses together (RFC 4226 §7.3; RFC 6238 §5.1 "brute force"): the door's buckets count callers only. While
 * the allowance of a subject is spent, every code is refused unread.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { Allowances } from '../allowances.ts';

const { wrongCodesBurst, wrongCodeEveryMs, wrongCodeEntriesMax } = limits.mfa;

export class WrongCodes extends Allowances {
  constructor() {
    super({ burst: wrongCodesBurst, everyMs: wrongCodeEveryMs, entriesMax: wrongCodeEntriesMax });
  }
}

const WRONG_CODES = new Part('count of wrong codes', () => new WrongCodes());

/** The table of the tenant, made on first use. */
export function wrongCodesOf(activation: Activation): WrongCodes {
  return WRONG_CODES.of(activation);
}
