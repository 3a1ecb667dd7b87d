/** In the place of actors/kit/outbound/outbound.ts: requests go to the receiver of the simulated machine, and none to the world outside. */
import type { OutboundOptions, OutboundRequest } from '#actors/kit/outbound/outbound.ts';
import { OutboundFault } from '#actors/kit/outbound/fault.ts';
import { machine } from '#test/simulation/machine/machine.ts';

export type { OutboundOptions, OutboundRequest } from '#actors/kit/outbound/outbound.ts';

export class Outbound {
  readonly #deadlineMs: number;

  constructor({ deadlineMs = 10_000 }: OutboundOptions = {}) {
    this.#deadlineMs = deadlineMs;
  }

  fetch(url: URL, { headers, body, signal }: OutboundRequest): Promise<Response> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new OutboundFault('deadline', `${url.origin}: no answer`)),
        this.#deadlineMs,
      );
      signal?.addEventListener('abort', () => reject(new OutboundFault('failed', `${url.origin}: forgotten`)));
      machine().receiver.post(headers['webhook-id']!, String(body), this.#deadlineMs, (status) => {
        clearTimeout(timer);
        resolve(new Response(null, { status }));
      });
    });
  }
}
