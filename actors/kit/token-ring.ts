/** The keys that sign and verify service and user tokens, as one thread holds them. */
import type { KeyObject } from 'node:crypto';

export interface VerificationKey {
  /** PASERK k4.pid of the public key: the token footer's `kid`. */
  readonly kid: string;
  readonly issuer: string;
  readonly key: KeyObject;
  /** How far ahead the issuer's clock may be; absent for keys of this deployment, whose tokens are minted and read by one clock. */
  readonly skewMs?: number;
}

/** The keys whose tokens count. */
export interface TrustedKeys {
  readonly verification: ReadonlyMap<string, VerificationKey>;
  /** Called when a token names a key that is not here: its issuer may have rotated. */
  readonly unknownKey?: (() => void) | undefined;
}

export interface TokenRing extends TrustedKeys {
  /** The key that signs now, or null on a node that only verifies. */
  readonly signing: { readonly kid: string; readonly key: KeyObject } | null;
  /** The keys made here that may have signed a token that is still valid, by kid, newest first: what the JWKS shows. */
  readonly own: ReadonlyMap<string, VerificationKey>;
  /** The keys of the issuer that the platform file trusts (`jwks.issuers.iam`), by kid: what every receiving service verifies with. */
  readonly verification: ReadonlyMap<string, VerificationKey>;
  /** Both: identity accepts its own tokens, whatever the file trusts. */
  readonly known: ReadonlyMap<string, VerificationKey>;
}

/** The ring as identity reads it. */
export function keysOfIdentity(source: { readonly ring: TokenRing }): TrustedKeys {
  return {
    get verification() {
      return source.ring.known;
    },
    unknownKey: () => source.ring.unknownKey?.(),
  };
}
