/**
 * Links that log a person in once: `npm start` prints one for the demo on loopback. A link stands for log ins with passwords that this process holds, one at a position, so it opens
 * nothing that the passwords do not. In memory only; bounded, and the oldest goes.
 */
import { randomBytes } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { secretSha256 } from '#actors/kit/secret.ts';

/** Whom a link logs in. */
export interface LinkedPerson {
  readonly login: string;
  readonly password: string;
}

/** By the key of the position at which they log in. */
export type LinkedPeople = Readonly<Record<string, LinkedPerson>>;

interface Link {
  /** Those that are not logged in yet. */
  readonly people: Map<string, LinkedPerson>;
  readonly endsMs: number;
}

export class LoginLinks {
  /** By the hash of the code, so that the time of a look-up says nothing of a code. */
  readonly #links = new Map<string, Link>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A code for these people. */
  draw(people: LinkedPeople): string {
    const code = randomBytes(limits.console.linkBytes).toString('base64url');
    const [oldest] = this.#links.keys();
    if (this.#links.size >= limits.console.linksMax) this.#links.delete(oldest!);
    const endsMs = this.#now() + limits.console.linkMs;
    this.#links.set(keyOf(code), { people: new Map(Object.entries(people)), endsMs });
    return code;
  }

  /** The person of a code at a position, for whom it counts no more; null for one that was used there, that is too old, that has no person there, or that was never drawn. */
  consume(code: string, position: string): LinkedPerson | null {
    const key = keyOf(code);
    const link = this.#links.get(key);
    if (link === undefined) return null;
    const person = link.people.get(position) ?? null;
    link.people.delete(position);
    const isOver = link.endsMs <= this.#now();
    if (isOver || link.people.size === 0) this.#links.delete(key);
    return isOver ? null : person;
  }
}

const keyOf = (code: string): string => secretSha256(code).toString('base64url');
