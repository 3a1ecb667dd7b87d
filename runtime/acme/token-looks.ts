/** Looks at what another node offers, shared by all requests that wait for one: a look counts for those that came before it began, and one begins in so long at most, however many ask. */

export interface TokenLooksPorts {
  readonly look: () => Promise<void>;
  readonly everyMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export class TokenLooks {
  readonly #ports: TokenLooksPorts;
  #next: Promise<void> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #beganAt = Number.NEGATIVE_INFINITY;

  constructor(ports: TokenLooksPorts) {
    this.#ports = ports;
  }

  /** Resolves behind a look that began behind this call; rejects as that look. */
  ask(): Promise<void> {
    this.#next ??= this.#begin();
    return this.#next;
  }

  async #begin(): Promise<void> {
    const { everyMs, look, now, sleep } = this.#ports;
    await this.#last;
    const waitMs = this.#beganAt + everyMs - now();
    if (waitMs > 0) await sleep(waitMs);
    this.#beganAt = now();
    this.#next = null;
    const looked = look();
    this.#last = looked.catch(() => undefined);
    await looked;
  }
}
