/** The keys that sign and verify service and user tokens, as one thread holds them. */
import type { KeyObject } from 'node:crypto';

export interface VerificationKey {
  /** PASERK k4.pid of the public key: the token footer's `kid`. */
  readonly kid: string;
  readonly issuer: string;
  readonly key: KeyObject;
}

export interface TokenRing {
  /** The key that signs now, or null on a node that only verifies. */
  readonly signing: { readonly kid: string; readonly key: KeyObject } | null;
  /** Every key that may have signed a token that is still valid, by kid. */
  readonly verification: ReadonlyMap<string, VerificationKey>;
}
