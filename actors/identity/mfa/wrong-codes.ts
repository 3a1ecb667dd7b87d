/**
 * Throttles guesses per user, whatever address they come from (RFC 4226 §7.3; RFC 6238 §5.1 "brute force"): the door's buckets
 * count callers only. A generic cell rate: a burst of wrong codes, then one per interval. In memory, one per awake tenant.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';

const PART = 'identity.mfa';
const { wrongCodesBurst, wrongCodeEveryMs, wrongCodeEntriesMax } = limits.mfa;

export class WrongCodes {
  /** Subject → when its allowance is whole again, in milliseconds since the epoch. */
  readonly #wholeAt = new Map<string, number>();

  /** Whether the subject's codes are not looked at for now, right or wrong. */
  blocked(subject: string, nowMs: number): boolean {
    const wholeAt = this.#wholeAt.get(subject) ?? 0;
    return wholeAt - nowMs > (wrongCodesBurst - 1) * wrongCodeEveryMs;
  }

  /** Notes a wrong code. Past its bound it forgets the subject that was noted longest ago. */
  note(subject: string, nowMs: number): void {
    const wholeAt = Math.max(this.#wholeAt.get(subject) ?? 0, nowMs) + wrongCodeEveryMs;
    this.#wholeAt.delete(subject);
    this.#wholeAt.set(subject, wholeAt);
    if (this.#wholeAt.size <= wrongCodeEntriesMax) return;
    for (const oldest of this.#wholeAt.keys()) {
      this.#wholeAt.delete(oldest);
      return;
    }
  }
}

/** The tenant's own; made when first asked for. */
export function wrongCodesOf(activation: Activation): WrongCodes {
  let part = activation.parts.get(PART) as WrongCodes | undefined;
  if (part === undefined) activation.parts.set(PART, (part = new WrongCodes()));
  return part;
}
