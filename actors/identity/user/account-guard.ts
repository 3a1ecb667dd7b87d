/**
 * Limits guesses at one account, from all addresses together: the door's buckets count callers only, and an attacker may have many addresses. An
 * attacker cannot lock the owner out: after too many wrong passwords the account still checks one password of each caller now and then, and every
 * password of a caller that has logged in to it before. An unknown login is treated alike, so that the answer reveals nothing.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { Allowances } from '../allowances.ts';

const { identity } = limits;
const entriesMax = identity.guardEntriesMax;

interface Try {
  /** 0, or for how many milliseconds the caller has to wait. */
  readonly waitMs: number;
  /** Call it at most once: the password was right, or was not checked. */
  giveBack(): void;
}

export class AccountGuard {
  readonly #wrong = new Allowances({ burst: identity.wrongPasswordsBurst, everyMs: identity.wrongPasswordEveryMs, entriesMax }); // prettier-ignore
  readonly #strangers = new Allowances({ burst: 1, everyMs: identity.strangerTryMs, entriesMax });
  readonly #mails = new Allowances({ burst: identity.mailsBurst, everyMs: identity.mailEveryMs, entriesMax });
  /** Pairs of caller and account with a login; the one whose last login is oldest comes first. */
  readonly #known = new Set<string>();

  /** Counts a try of the caller at the account as a wrong one, until it is given back. */
  enter(login: string, caller: string, nowMs: number): Try {
    const account = login.toLowerCase();
    const pair = pairOf(account, caller);
    if (!this.#wrong.blocked(account, nowMs) || this.#known.has(pair)) {
      this.#wrong.note(account, nowMs);
      return { waitMs: 0, giveBack: () => this.#wrong.giveBack(account) };
    }
    const waitMs = this.#strangers.waitMs(pair, nowMs);
    if (waitMs > 0) return { waitMs, giveBack: () => undefined };
    this.#strangers.note(pair, nowMs);
    return { waitMs: 0, giveBack: () => this.#strangers.giveBack(pair) };
  }

  /** The caller has logged in: from now on it is known to this account. */
  admit(login: string, caller: string): void {
    const pair = pairOf(login.toLowerCase(), caller);
    this.#known.delete(pair);
    this.#known.add(pair);
    if (this.#known.size > entriesMax) this.#known.delete(this.#known.values().next().value!);
  }

  /** Whether one more mail of this kind may go to the address; counts it. Links that were sent before stay valid. */
  mayMail(kind: string, login: string, nowMs: number): boolean {
    const subject = `${kind} ${login.toLowerCase()}`;
    if (this.#mails.blocked(subject, nowMs)) return false;
    this.#mails.note(subject, nowMs);
    return true;
  }
}

/** An IPv6 caller is its /48, the most that one site gets (RFC 6177): a site can change its /64 at will. */
function pairOf(account: string, caller: string): string {
  const site = caller.includes(':') ? caller.split(':', 3).join(':') : caller;
  return `${site} ${account}`;
}

const GUARD = new Part('account guard', () => new AccountGuard());

/** The guard of the tenant, made on first use. */
export function accountGuardOf(activation: Activation): AccountGuard {
  return GUARD.of(activation);
}
