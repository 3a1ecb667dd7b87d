/** Random secrets and their stored form (docs/contract/identity.md §2.4). */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** `bytes` of the given source (the system's CSPRNG), base64url without padding. */
export function newSecret(random: (bytes: number) => Buffer, bytes: number): string {
  return random(bytes).toString('base64url');
}

/** A secret derived from another one and a random nonce (RFC 2104): it cannot be derived without both. */
export function derivedSecret(parent: string, nonce: Uint8Array): string {
  return createHmac('sha256', parent).update(nonce).digest('base64url');
}

/** What is stored of a secret: SHA-256 of its text. A random secret needs no slow hash. */
export function secretSha256(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Compares digests in constant time; one of another length is never equal. */
export function sameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
