/** Callers without a certificate that counts: how often one is told of, and whether a development vault may take one for its developer. */
import { limits } from '#config/limits.ts';

/** Counts refused callers: one event for all of a window, which says how many there were since the last. */
export class Strangers {
  #since = 0;
  #nextMs = Number.NEGATIVE_INFINITY;

  /** What is to be told now; null while the window of the last event lasts. */
  seen(nowMs: number): { readonly since: number } | null {
    this.#since++;
    // A clock that was set back must not silence it.
    if (nowMs < this.#nextMs && nowMs >= this.#nextMs - limits.vault.strangerEventMs) return null;
    const since = this.#since;
    this.#since = 0;
    this.#nextMs = nowMs + limits.vault.strangerEventMs;
    return { since };
  }
}

const LOCAL = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?(?::\d{1,5})?$/i;

/** Whether a Host header names this machine's loopback; absent it names nothing. */
export function isLocalName(host: string | undefined): boolean {
  return host !== undefined && LOCAL.test(host);
}

/** Whether a request may come from where it says: no browser, or a page of this machine. */
export function isLocalOrigin(origin: string | undefined): boolean {
  if (origin === undefined || origin === '') return true;
  return URL.canParse(origin) && LOCAL.test(new URL(origin).host);
}
