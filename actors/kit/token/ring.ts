/** Builds the keys that a thread holds from the stored key records (decisions.md "Identity", token footer). */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { TokenRing, VerificationKey } from '../token-ring.ts';

/** The issuer that this deployment's own keys sign as (identity.md "Service token claims"). */
export const OWN_ISSUER = 'iam';

/** A signing key as the control plane keeps it. */
export interface KeyRecord {
  /** PASERK k4.pid of the public key. */
  readonly kid: string;
  readonly issuer: string;
  /** PKCS#8 PEM, Ed25519. */
  readonly private_pem: string;
  /** RFC 3339. */
  readonly created_at: string;
}

const newestFirst = (a: KeyRecord, b: KeyRecord): number =>
  a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0;

/** The ring of these records: the newest key signs, every key verifies; iteration goes newest first. */
export function ringOf(records: readonly KeyRecord[]): TokenRing {
  const ordered = [...records].sort(newestFirst);
  const verification = new Map<string, VerificationKey>();
  let signing: TokenRing['signing'] = null;
  for (const { kid, issuer, private_pem } of ordered) {
    const secret = createPrivateKey(private_pem);
    if (secret.asymmetricKeyType !== 'ed25519') throw new Error(`keyring: ${kid} is not an Ed25519 key`);
    signing ??= { kid, key: secret };
    verification.set(kid, { kid, issuer, key: createPublicKey(secret) });
  }
  return { signing, verification };
}
