/** The token keys of one thread, replaced as a whole when main says that they have changed. */
import type { Platform } from '#config/platform.ts';
import type { TokenRing } from '#actors/kit/token-ring.ts';
import { ringOf, type RingRecord, type PublicKeyRecord, type Trust } from '#actors/kit/token/ring.ts';

export class ThreadRing implements TokenRing {
  readonly unknownKey: (() => void) | undefined;
  #records: readonly RingRecord[] = [];
  #trust: Trust;
  #ring: TokenRing;

  /** `issuer`: the value of `jwks.issuers.iam`: `self`, no issuer, or the URL of another one, whose keys main fetches when a token names an unknown key. */
  constructor(issuer: Platform['jwks']['issuers']['iam'], askForKeys: () => void) {
    const isRemote = issuer !== undefined && issuer !== 'self';
    this.#trust = issuer === undefined ? 'none' : issuer === 'self' ? 'self' : [];
    this.unknownKey = isRemote ? askForKeys : undefined;
    this.#ring = ringOf([], this.#trust);
  }

  get signing(): TokenRing['signing'] {
    return this.#ring.signing;
  }

  get own(): TokenRing['own'] {
    return this.#ring.own;
  }

  get verification(): TokenRing['verification'] {
    return this.#ring.verification;
  }

  get known(): TokenRing['known'] {
    return this.#ring.known;
  }

  set(records: readonly RingRecord[]): void {
    this.#records = records;
    this.#ring = ringOf(records, this.#trust);
  }

  /** Takes the keys of the trusted issuer. The same keys again change nothing, so that cached verifications stay valid. */
  trust(keys: readonly PublicKeyRecord[]): void {
    if (typeof this.#trust === 'string' || JSON.stringify(keys) === JSON.stringify(this.#trust)) return;
    this.#trust = keys;
    this.#ring = ringOf(this.#records, keys);
  }
}
