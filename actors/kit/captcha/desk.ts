/**
 * Gives challenges of a proof of work and takes their answers, each once. Key and memory of spent answers live and die together, in memory: what was
 * given before a restart counts no more, so nothing that counted can count again, and no stranger's request writes anything.
 *   who asks: everyone, within the rate profile of the route
 *   what it costs: two hashes and an HMAC a challenge or an answer; an answer that counted takes some 100 bytes until it is over
 *   when it fails: a full memory refuses answers (`full`) until the oldest are over; to fill it takes so many proofs of work
 */
import { randomBytes } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { Clock } from '../clock.ts';
import { challengeOf, isSolved, readAnswer, type AltchaChallenge, type Bound } from './altcha.ts';

const { captcha } = limits;

interface Key {
  readonly bytes: Uint8Array;
  readonly madeAtMs: number;
}

export class CaptchaDesk {
  readonly #clock: Clock;
  readonly #random: (bytes: number) => Uint8Array;
  #newest: Key | null = null;
  #before: Key | null = null;
  /** Nonces of spent answers in two generations; each lasts the life of a challenge, so that whole ones can be dropped. */
  #young = new Set<string>();
  #old = new Set<string>();
  #youngSinceMs = 0;

  constructor(clock: Clock, random: (bytes: number) => Uint8Array = randomBytes) {
    this.#clock = clock;
    this.#random = random;
  }

  give(bound: Bound, maxnumber: number): AltchaChallenge {
    const now = this.#clock.now();
    const key = this.#signing(now);
    return challengeOf(key.bytes, {
      ...bound,
      maxnumber,
      number: Buffer.from(this.#random(6)).readUIntBE(0, 6) % (maxnumber + 1),
      nonce: this.#random(captcha.nonceBytes),
      expiresAtMs: now + captcha.challengeMs,
    });
  }

  /** What `spend` takes, for an answer to a challenge that was given here, for this, and lives; else null. Whether it has counted says `spend`. */
  check(text: string, bound: Bound): string | null {
    const answer = readAnswer(text);
    if (answer === null || this.#clock.now() >= answer.expires * 1000) return null;
    const isOurs = [this.#newest, this.#before].some((key) => key !== null && isSolved(key.bytes, answer, bound));
    return isOurs ? answer.nonce : null;
  }

  /** `again`: it has counted. */
  spend(nonce: string): 'spent' | 'again' | 'full' {
    this.#forget(this.#clock.now());
    if (this.#isSpent(nonce)) return 'again';
    if (this.#young.size + this.#old.size >= captcha.spentMax) return 'full';
    this.#young.add(nonce);
    return 'spent';
  }

  /** Nothing came of what it was spent for: it may count once more. */
  giveBack(nonce: string): void {
    this.#young.delete(nonce);
    this.#old.delete(nonce);
  }

  #isSpent(nonce: string): boolean {
    return this.#young.has(nonce) || this.#old.has(nonce);
  }

  /** The key before the newest one verifies for longer than any of its challenges lives. */
  #signing(now: number): Key {
    if (this.#newest !== null && now - this.#newest.madeAtMs < captcha.keyLifeMs) return this.#newest;
    this.#before = this.#newest;
    return (this.#newest = { bytes: this.#random(captcha.keyBytes), madeAtMs: now });
  }

  #forget(now: number): void {
    if (now - this.#youngSinceMs < captcha.challengeMs) return;
    this.#old = now - this.#youngSinceMs < 2 * captcha.challengeMs ? this.#young : new Set();
    this.#young = new Set();
    this.#youngSinceMs = now;
  }
}
