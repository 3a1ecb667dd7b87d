/** The gateways of all nodes, as clients see them that know of no standby: one is tried, and the next one where nothing listens there. */
import type { Random } from '#test/kit/random.ts';
import type { Headers } from '#test/kit/test-node.ts';
import { send, type Answered, type Sent } from './rest.ts';

/** Between two calls of a client that no gateway took. */
const REST_MS = 25;

export class Gateways {
  readonly #urls: readonly string[];
  readonly #random: Random;
  readonly #headers: () => Headers;
  readonly counts = { answered: 0, refused: 0, unknown: 0 };

  constructor(urls: readonly string[], random: Random, headers: () => Headers) {
    this.#urls = urls;
    this.#random = random;
    this.#headers = headers;
  }

  /** `refused` only where none takes it. `left` is called as the request leaves, for each that is tried. */
  async ask(
    call: Omit<Sent, 'headers'> & { readonly headers?: Headers },
    left = (): void => undefined,
  ): Promise<Answered> {
    const first = this.#random.below(this.#urls.length);
    for (let tried = 0; tried < this.#urls.length; tried++) {
      left();
      const url = this.#urls[(first + tried) % this.#urls.length]!;
      const answered = await send(url, { ...call, headers: { ...this.#headers(), ...call.headers } });
      this.counts[typeof answered === 'string' ? answered : 'answered']++;
      if (answered !== 'refused') return answered;
    }
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    return 'refused';
  }
}
