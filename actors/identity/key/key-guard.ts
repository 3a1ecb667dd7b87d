/** What a tenant remembers of its keys while it is awake: how often each was presented, and which were logged as presented from elsewhere. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { Allowances } from '../allowances.ts';

interface Used {
  /** Presentations that are left, as of `atMs`: they fill up at the key's rate, to one second of it. */
  left: number;
  atMs: number;
}

export class KeyGuard {
  readonly #used = new Map<string, Used>();
  readonly #logged = new Allowances({
    burst: 1,
    everyMs: limits.people.keyLogEveryMs,
    entriesMax: limits.people.keyGuardEntriesMax,
  });

  /** Counts one presentation of a valid key; false where it is one too many for its rate. */
  mayPresent(id: string, perSecond: number, nowMs: number): boolean {
    const before = this.#used.get(id) ?? { left: perSecond, atMs: nowMs };
    const filled = before.left + (Math.max(0, nowMs - before.atMs) / 1000) * perSecond;
    const left = Math.min(Math.max(1, perSecond), filled);
    this.#used.delete(id);
    this.#used.set(id, { left: left >= 1 ? left - 1 : left, atMs: nowMs });
    if (this.#used.size > limits.people.keyGuardEntriesMax) this.#used.delete(this.#used.keys().next().value!);
    return left >= 1;
  }

  /** Whether a key that came from elsewhere is logged now: once an interval for each key. */
  mayLog(id: string, nowMs: number): boolean {
    if (this.#logged.blocked(id, nowMs)) return false;
    this.#logged.note(id, nowMs);
    return true;
  }
}

const GUARD = new Part('key guard', () => new KeyGuard());

export const keyGuardOf = (activation: Activation): KeyGuard => GUARD.of(activation);
