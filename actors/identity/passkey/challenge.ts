/**
 * The text of a challenge (WebAuthn §13.4.3): it carries a MAC over everything that it is bound to, so that none is stored before it counts.
 * Nothing that strangers do takes room. Pure.
 *
 *   purpose 1 byte · end of its life 6 bytes, milliseconds · random 16 bytes · HMAC-SHA-256 (RFC 2104) 32 bytes
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '#config/limits.ts';

/**
 * What it was given for: a registration, a login without a name, the second step of a login whose first one is named, a proof of the user who is logged
 * in; `proven` is that proof itself, which no passkey answers. A new one stands at the end: the byte is its place.
 */
export const PURPOSES = ['register', 'login', 'password', 'magic_link', 'oauth', 'code', 'prove', 'proven'] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface Binding {
  /** Tenant key. */
  readonly position: string;
  /** User id; empty for a login without a name. */
  readonly subject: string;
  /** What must not have changed since: the session of a registration, the password of a login. */
  readonly proof: string;
}

export interface Shown {
  readonly purpose: Purpose;
  readonly expiresAtMs: number;
  readonly head: Buffer;
  readonly mac: Buffer;
}

const MOMENT_BYTES = 6;
const HEAD_BYTES = 1 + MOMENT_BYTES + limits.passkeys.nonceBytes;
const MAC_BYTES = 32;

export interface ChallengeWish extends Binding {
  readonly purpose: Purpose;
  readonly expiresAtMs: number;
  readonly nonce: Uint8Array;
}

export function challengeText(key: Uint8Array, { purpose, expiresAtMs, nonce, ...binding }: ChallengeWish): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = PURPOSES.indexOf(purpose);
  head.writeUIntBE(expiresAtMs, 1, MOMENT_BYTES);
  head.set(nonce, 1 + MOMENT_BYTES);
  return Buffer.concat([head, macOf(key, head, binding)]).toString('base64url');
}

/** The parts of a text that has the form of a challenge; whether it is ours says `isOurs`. */
export function readChallenge(text: string): Shown | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== HEAD_BYTES + MAC_BYTES || bytes.toString('base64url') !== text) return null;
  const purpose = PURPOSES[bytes[0]!];
  if (purpose === undefined) return null;
  const head = bytes.subarray(0, HEAD_BYTES);
  return { purpose, expiresAtMs: head.readUIntBE(1, MOMENT_BYTES), head, mac: bytes.subarray(HEAD_BYTES) };
}

/** Compared in constant time. */
export function isOurs(key: Uint8Array, { head, mac }: Shown, binding: Binding): boolean {
  return timingSafeEqual(mac, macOf(key, head, binding));
}

function macOf(key: Uint8Array, head: Uint8Array, { position, subject, proof }: Binding): Buffer {
  return createHmac('sha256', key)
    .update(head)
    .update(JSON.stringify(['challenge', position, subject, proof]))
    .digest();
}

/** The user handle of WebAuthn §5.4.3: nothing in it tells who the user is, and it cannot be made without the key. */
export function userHandle(key: Uint8Array, user: string): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(['user', user]))
    .digest('base64url');
}
