/** The ring of one thread: replaced whole when main says that the keys have changed. */
import type { Platform } from '#config/platform.ts';
import type { TokenRing } from '#actors/kit/token-ring.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import type { RingRecord, PublicKeyRecord, Trust } from '#actors/kit/token/ring.ts';

export class ThreadRing implements TokenRing {
  readonly unknownKey: (() => void) | undefined;
  #records: readonly RingRecord[] = [];
  #trust: Trust;
  #ring: TokenRing;

  /** `jwks.issuers.iam`: this node, nobody, or an issuer elsewhere, whose keys main fetches when a token names one it has not seen. */
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

  /** The keys of the trusted issuer. The same keys again change nothing, so that cached tokens stay verified. */
  trust(keys: readonly PublicKeyRecord[]): void {
    if (typeof this.#trust === 'string' || JSON.stringify(keys) === JSON.stringify(this.#trust)) return;
    this.#trust = keys;
    this.#ring = ringOf(this.#records, keys);
  }
}
