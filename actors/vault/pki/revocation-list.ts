/**
 * Revocation lists (RFC 5280 §5), version 2. Entries are kept encoded, so that signing the list again costs one hash over them and one signature,
 * however many there are.
 */
import { createSign } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { TAG, element, explicit, head, integer, sequence, time, unsigned } from './der-write.ts';
import { extension } from './extensions.ts';
import { ECDSA_ALGORITHM, signedHead, type Issuer } from './issuer.ts';

/** Reasons of RFC 5280 §5.3.1 that a caller may give. `removeFromCRL` belongs to delta lists, and a `certificateHold` could be revoked. */
export const REASONS = {
  unspecified: 0,
  keyCompromise: 1,
  cACompromise: 2,
  affiliationChanged: 3,
  superseded: 4,
  cessationOfOperation: 5,
  privilegeWithdrawn: 9,
  aACompromise: 10,
} as const;

export type Reason = keyof typeof REASONS;

export interface SignedList {
  readonly der: Buffer;
  readonly number: number;
  readonly thisUpdateMs: number;
  readonly nextUpdateMs: number;
}

const VERSION_2 = integer(1);

/** Encoded extensions of an entry, by reason; §5.3.1 leaves an unspecified reason out. */
const REASON_EXTENSIONS = new Map<Reason, Buffer>(
  Object.entries(REASONS).map(([reason, code]) => [
    reason as Reason,
    code === 0 ? Buffer.alloc(0) : sequence(extension('crlReason', element(TAG.enumerated, Buffer.of(code)))),
  ]),
);

export class RevocationList {
  #issuer: Issuer;
  #entries = Buffer.alloc(4096);
  #length = 0;
  #count = 0;

  constructor(issuer: Issuer) {
    this.#issuer = issuer;
  }

  /** Replaces the issuer by the same authority with a renewed certificate. */
  set issuer(renewed: Issuer) {
    this.#issuer = renewed;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds an entry; the caller ensures that a serial is added once. */
  add(serial: Uint8Array, revokedAtMs: number, reason: Reason): void {
    const entry = sequence(unsigned(serial), time(revokedAtMs), REASON_EXTENSIONS.get(reason)!);
    if (this.#length + entry.length > this.#entries.length) {
      const larger = Buffer.allocUnsafe(2 * this.#entries.length);
      this.#entries.copy(larger, 0, 0, this.#length);
      this.#entries = larger;
    }
    this.#entries.set(entry, this.#length);
    this.#length += entry.length;
    this.#count++;
  }

  /** The list under the given number, valid from now on. The number must be stored first: it never decreases. */
  sign(number: number, nowMs: number): SignedList {
    const thisUpdateMs = Math.floor(nowMs / 1000) * 1000;
    const nextUpdateMs = Math.min(thisUpdateMs + limits.pki.crlMs, this.#issuer.notAfterMs);
    const body = this.#body(number, thisUpdateMs, nextUpdateMs);
    const signer = createSign('sha256');
    for (const piece of body) signer.update(piece);
    const { head: top, tail } = signedHead(signer.sign(this.#issuer.key), byteLength(body));
    return { der: Buffer.concat([top, ...body, tail]), number, thisUpdateMs, nextUpdateMs };
  }

  /** The signed part, in pieces: only the entries are long, and they are not copied. */
  #body(number: number, thisUpdateMs: number, nextUpdateMs: number): Buffer[] {
    const before = [VERSION_2, ECDSA_ALGORITHM, this.#issuer.name, time(thisUpdateMs), time(nextUpdateMs)];
    // An empty list has no element of entries at all (§5.1.2.6).
    if (this.#count > 0) before.push(head(TAG.sequence, this.#length));
    const entries = this.#entries.subarray(0, this.#length);
    const after = element(explicit(0), sequence(this.#issuer.authorityKeyId, extension('crlNumber', integer(number))));
    const inner = [...before, entries, after];
    return [head(TAG.sequence, byteLength(inner)), ...inner];
  }
}

const byteLength = (pieces: readonly Buffer[]): number => pieces.reduce((sum, piece) => sum + piece.length, 0);
