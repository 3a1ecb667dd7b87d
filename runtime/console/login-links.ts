/**
 * Links that log a person in once: `npm start` prints one for the demo on loopback. A link stands for a log in with a password that this process holds, so it opens nothing
 * that the password does not. In memory only; bounded, and the oldest goes.
 */
import { randomBytes } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { secretSha256 } from '#actors/kit/secret.ts';

/** What a link logs in with, at the control plane. */
export interface LinkedPerson {
  readonly login: string;
  readonly password: string;
}

interface Link {
  readonly person: LinkedPerson;
  readonly endsMs: number;
}

export class LoginLinks {
  /** By the hash of the code, so that the time of a look-up says nothing of a code. */
  readonly #links = new Map<string, Link>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A code for this person. */
  draw(person: LinkedPerson): string {
    const code = randomBytes(limits.console.linkBytes).toString('base64url');
    const [oldest] = this.#links.keys();
    if (this.#links.size >= limits.console.linksMax) this.#links.delete(oldest!);
    this.#links.set(keyOf(code), { person, endsMs: this.#now() + limits.console.linkMs });
    return code;
  }

  /** The person of a code, which counts no more; null for a code that was used, that is too old, or that was never drawn. */
  consume(code: string): LinkedPerson | null {
    const key = keyOf(code);
    const link = this.#links.get(key);
    this.#links.delete(key);
    return link === undefined || link.endsMs <= this.#now() ? null : link.person;
  }
}

const keyOf = (code: string): string => secretSha256(code).toString('base64url');
