/** Builds the keys that a thread holds from the stored key records (docs/contract/identity.md §3.3). */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { TokenRing, VerificationKey } from '../token-ring.ts';

/** The issuer that this deployment's own keys sign as (docs/contract/identity.md §3.2). */
export const OWN_ISSUER = 'iam';

/** A signing key as the control plane keeps it. */
export interface KeyRecord {
  /** PASERK k4.pid of the public key. */
  readonly kid: string;
  readonly issuer: string;
  /** PKCS#8 PEM, Ed25519; empty for a key that the vault holds. */
  readonly private_pem: string;
  /** RFC 3339. */
  readonly created_at: string;
  /** The secret of the vault that holds the key. */
  readonly vault?: string;
}

/** A key record on its way to the threads that sign: a key of the vault goes along as a handle, its bytes stay where they are. */
export interface RingRecord extends KeyRecord {
  readonly key?: KeyObject;
}

/** A public key of a trusted issuer, as it crosses threads. */
export interface PublicKeyRecord {
  readonly kid: string;
  /** The raw 32 bytes, base64url (RFC 8037 §2). */
  readonly x: string;
}

/** Which tokens the services of this node accept: the node's own, none (no `jwks.issuers.iam`), or those of these keys. */
export type Trust = 'self' | 'none' | readonly PublicKeyRecord[];

const newestFirst = (a: RingRecord, b: RingRecord): number =>
  a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0;

/** The ring of these records: the newest key signs, every key is shown; iteration goes newest first. */
export function ringOf(records: readonly RingRecord[], trust: Trust = 'self'): TokenRing {
  const ordered = [...records].sort(newestFirst);
  const own = new Map<string, VerificationKey>();
  let signing: TokenRing['signing'] = null;
  for (const { kid, issuer, private_pem, key } of ordered) {
    const secret = key ?? createPrivateKey(private_pem);
    if (secret.asymmetricKeyType !== 'ed25519') throw new Error(`keyring: ${kid} is not an Ed25519 key`);
    signing ??= { kid, key: secret };
    own.set(kid, { kid, issuer, key: createPublicKey(secret) });
  }
  if (trust === 'self') return { signing, own, verification: own, known: own };
  const verification = trust === 'none' ? new Map<string, VerificationKey>() : trustedKeys(trust, own);
  return { signing, own, verification, known: new Map([...verification, ...own]) };
}

/** A key that this node also has itself is one object, so that a cached token is not verified again at every change between the two sets. */
function trustedKeys(records: readonly PublicKeyRecord[], own: TokenRing['own']): Map<string, VerificationKey> {
  const keys = new Map<string, VerificationKey>();
  for (const { kid, x } of records) {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    keys.set(kid, own.get(kid) ?? { kid, issuer: OWN_ISSUER, key, skewMs: limits.jwks.skewMs });
  }
  return keys;
}
