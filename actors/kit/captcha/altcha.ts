/**
 * ALTCHA's proof of work, protocol version 1: the server hides a number, and signs the hash of a salt and that number; the page finds the number by
 * trying. Salt and signature carry everything that a challenge is bound to, so that none is stored before it counts. Pure.
 *
 *   challenge  SHA-256(salt · number), hex            signature  HMAC-SHA-256(key, challenge), hex (RFC 2104)
 *   salt       nonce ? expires=seconds & for=purpose & at=position &
 *
 * The salt ends with `&`: its last parameter cannot take over digits of the number that follows it, so no caller lengthens the life of a challenge.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { limits } from '#config/limits.ts';

const { difficultyMax, answerCharsMax, nonceBytes } = limits.captcha;
export const ALGORITHM = 'SHA-256';

/** What a challenge was given for; one that is shown elsewhere does not count. */
export interface Bound {
  /** The key of the tenant; empty for forms, which have none. */
  readonly position: string;
  readonly purpose: string;
}

/** As the widget reads it. */
export interface AltchaChallenge {
  readonly algorithm: typeof ALGORITHM;
  readonly challenge: string;
  readonly maxnumber: number;
  readonly salt: string;
  readonly signature: string;
}

/** An answer in the form of one; whether it counts says `isSolved`. */
export interface Answer {
  readonly challenge: string;
  readonly number: number;
  readonly salt: string;
  readonly signature: string;
  readonly nonce: string;
  readonly expires: number;
}

export interface ChallengeWish extends Bound {
  readonly expiresAtMs: number;
  readonly nonce: Uint8Array;
  /** The number to find: at most `maxnumber`. */
  readonly number: number;
  readonly maxnumber: number;
}

export function challengeOf(
  key: Uint8Array,
  { number, maxnumber, nonce, expiresAtMs, ...bound }: ChallengeWish,
): AltchaChallenge {
  const salt = saltOf(Buffer.from(nonce).toString('hex'), Math.floor(expiresAtMs / 1000), bound);
  const challenge = hash('sha256', salt + number);
  return { algorithm: ALGORITHM, challenge, maxnumber, salt, signature: signatureOf(key, challenge) };
}

/** The answer that a page sends: base64 of a JSON object; null for any other text. */
export function readAnswer(text: string): Answer | null {
  if (text.length > answerCharsMax) return null;
  const { algorithm, challenge, number, salt, signature } = membersOf(text);
  if (algorithm !== ALGORITHM || !isHash(challenge) || !isHash(signature) || typeof salt !== 'string') return null;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > difficultyMax) return null;
  const [, nonce, expires] = SALT.exec(salt) ?? [];
  return nonce === undefined ? null : { challenge, number, salt, signature, nonce, expires: Number(expires) };
}

/** Whether the number is the one that was hidden, by a challenge of this key for this place and purpose. Compared in constant time. */
export function isSolved(
  key: Uint8Array,
  { challenge, number, salt, signature, nonce, expires }: Answer,
  bound: Bound,
): boolean {
  if (salt !== saltOf(nonce, expires, bound) || challenge !== hash('sha256', salt + number)) return false;
  return timingSafeEqual(Buffer.from(signature, 'hex'), Buffer.from(signatureOf(key, challenge), 'hex'));
}

const SALT = new RegExp(String.raw`^([0-9a-f]{${nonceBytes * 2}})\?expires=(\d{1,12})&`);
const HASH = /^[0-9a-f]{64}$/;
const isHash = (value: unknown): value is string => typeof value === 'string' && HASH.test(value);

function saltOf(nonce: string, expires: number, { position, purpose }: Bound): string {
  return `${nonce}?${new URLSearchParams({ expires: String(expires), for: purpose, at: position }).toString()}&`;
}

function signatureOf(key: Uint8Array, challenge: string): string {
  return createHmac('sha256', key).update(challenge).digest('hex');
}

function membersOf(text: string): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
