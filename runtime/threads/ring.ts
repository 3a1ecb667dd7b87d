/** The ring of one thread: replaced whole when main says that the keys have changed. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { TokenRing, VerificationKey } from '#actors/kit/token-ring.ts';
import type { RingRecord } from '#actors/protocol/topics.ts';

export class ThreadRing implements TokenRing {
  signing: { readonly kid: string; readonly key: KeyObject } | null = null;
  verification: ReadonlyMap<string, VerificationKey> = new Map();

  /** Newest record first; the newest with a private key signs. */
  set(records: readonly RingRecord[]): void {
    const signer = records.find((record) => record.privatePem !== null);
    this.signing = signer === undefined ? null : { kid: signer.kid, key: createPrivateKey(signer.privatePem!) };
    this.verification = new Map(
      records.map((record) => [
        record.kid,
        { kid: record.kid, issuer: record.issuer, key: createPublicKey(record.publicPem) },
      ]),
    );
  }
}
