/**
 * Guesses at one account, whatever addresses they come from: the door's buckets count callers only, and a caller may have many.
 * Nobody can lock an owner out: an account that was guessed at too often still looks at one password of each caller now and then, and at
 * every one of a caller that has logged in to it before. An unknown login is treated alike, so the answer tells nothing.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Allowances } from '../allowances.ts';

const PART = 'identity.account-guard';
const { identity } = limits;
const entriesMax = identity.guardEntriesMax;

interface Try {
  /** 0, or how long the caller has to wait. */
  readonly waitMs: number;
  /** The password was right, or was not looked at. Each once. */
  giveBack(): void;
}

export class AccountGuard {
  readonly #wrong = new Allowances({ burst: identity.wrongPasswordsBurst, everyMs: identity.wrongPasswordEveryMs, entriesMax }); // prettier-ignore
  readonly #strangers = new Allowances({ burst: 1, everyMs: identity.strangerTryMs, entriesMax });
  readonly #mails = new Allowances({ burst: identity.mailsBurst, everyMs: identity.mailEveryMs, entriesMax });
  /** Callers that have logged in, by account; the one that did so longest ago comes first. */
  readonly #known = new Set<string>();

  /** Takes a try of the caller at the account. It counts as a wrong one until it is given back. */
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

  /** The caller has logged in: it is no stranger to this account from now on. */
  admit(login: string, caller: string): void {
    const pair = pairOf(login.toLowerCase(), caller);
    this.#known.delete(pair);
    this.#known.add(pair);
    if (this.#known.size > entriesMax) this.#known.delete(this.#known.values().next().value!);
  }

  /** Whether one more mail of this kind may go to the address; counts it. What lies in its box meanwhile still counts. */
  mayMail(kind: string, login: string, nowMs: number): boolean {
    const subject = `${kind} ${login.toLowerCase()}`;
    if (this.#mails.blocked(subject, nowMs)) return false;
    this.#mails.note(subject, nowMs);
    return true;
  }
}

/** IPv6 callers are told apart by their /48 here, the most that one site is given (RFC 6177): its /64s are free to change. */
function pairOf(account: string, caller: string): string {
  const site = caller.includes(':') ? caller.split(':', 3).join(':') : caller;
  return `${site} ${account}`;
}

/** The tenant's own; made when first asked for. */
export function accountGuardOf(activation: Activation): AccountGuard {
  let part = activation.parts.get(PART) as AccountGuard | undefined;
  if (part === undefined) activation.parts.set(PART, (part = new AccountGuard()));
  return part;
}
