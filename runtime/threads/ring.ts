/** The ring of one thread: replaced whole when main says that the keys have changed. */
import type { TokenRing } from '#actors/kit/token-ring.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import type { KeyRecord } from '#actors/kit/token/ring.ts';

export class ThreadRing implements TokenRing {
  #ring: TokenRing = ringOf([]);

  get signing(): TokenRing['signing'] {
    return this.#ring.signing;
  }

  get verification(): TokenRing['verification'] {
    return this.#ring.verification;
  }

  set(records: readonly KeyRecord[]): void {
    this.#ring = ringOf(records);
  }
}
