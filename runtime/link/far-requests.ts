/** The requests of one link at the node that serves: each goes through its gate as one of its own doors does, from the look for the tenant on. */
import { limits } from '#config/limits.ts';
import { Outbox } from '#actors/protocol/channel.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { METHODS } from '#actors/protocol/method.ts';
import { REPLIES, REQUEST_STRIDE, REQUESTS, STREAM, STREAM_STRIDE, STREAMED } from '#actors/protocol/frame.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { answerRefusal } from '#runtime/door/answer-refusal.ts';
import { Arrival } from '#runtime/door/arrival.ts';
import type { CallerAddress } from '#runtime/door/caller-address.ts';
import type { Gate } from '#runtime/door/gate.ts';
import type { Visit } from '#runtime/door/port.ts';
import { refuseAtDoor } from '#runtime/door/refusals.ts';
import { readCarried } from './carried.ts';
import { FarPage } from './far-page.ts';
import { FarVisit, type FarDoor } from './far-visit.ts';
import { LinkFault, checkStride, textAt, wholeAt, kindOf } from './frames.ts';
import type { LinkEnd } from './link-end.ts';
import { COUNTED } from './referral-frames.ts';
import type { ReferredDoor } from './referrals.ts';

/** Where requests of other nodes go in. */
export interface ServingDoors {
  readonly gate: Pick<Gate, 'forwarded'>;
  /** Answers a request for a page of a site; false where none is there. */
  page(visit: Visit, requestId: string, callerOf: CallerAddress): boolean;
}

export interface FarRequestsPorts {
  readonly end: Pick<LinkEnd, 'sendBatch' | 'sendPiece'>;
  readonly doors: ServingDoors;
  readonly routes: readonly CompiledRoute[];
  /** By number of the far door: the number here, or -1. */
  readonly numbers: readonly number[];
  /** What the door was told of hosts elsewhere; null where it cannot be told. */
  readonly referred: ReferredDoor | null;
}

export class FarRequests implements FarDoor {
  readonly outbox: Outbox;
  readonly #ports: FarRequestsPorts;
  readonly #visits = new Map<number, FarVisit>();
  #isIdle: () => void = () => undefined;

  constructor(ports: FarRequestsPorts) {
    this.#ports = ports;
    this.outbox = new Outbox(ports.end, REPLIES, setImmediate);
  }

  /** Requests without an answer. */
  get count(): number {
    return this.#visits.size;
  }

  /** Takes a batch of the far door. Throws LinkFault for what a door does not send. */
  take(batch: Flat): void {
    if (batch[0] === REQUESTS) {
      checkStride(batch, REQUEST_STRIDE);
      for (let at = 1; at < batch.length; at += REQUEST_STRIDE) this.#enter(batch, at);
    } else if (batch[0] === STREAM) {
      checkStride(batch, STREAM_STRIDE);
      for (let at = 1; at < batch.length; at += STREAM_STRIDE)
        // A number is reused, and what still comes for the request before is dropped: its visit is over.
        this.#visits.get(wholeAt(batch, at))?.receive(wholeAt(batch, at + 1), batch[at + 2]!);
    } else if (batch[0] === COUNTED) this.#ports.referred?.takeCounts(batch);
    else throw new LinkFault(`a frame of kind ${kindOf(batch)} does not come from a door`);
  }

  over(no: number): void {
    this.#visits.delete(no);
    if (this.#visits.size === 0) this.#isIdle();
  }

  /** Resolves when each request has its answer. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#visits.size === 0) resolve();
      else this.#isIdle = resolve;
    });
  }

  /** The link is lost. */
  lost(): void {
    this.#ports.referred?.lost();
    for (const visit of this.#visits.values()) visit.gone();
    this.#visits.clear();
    this.#isIdle();
  }

  #enter(batch: Flat, at: number): void {
    const no = wholeAt(batch, at);
    if (this.#visits.has(no)) throw new LinkFault('two requests of one number');
    const { doors, numbers, routes } = this.#ports;
    const place = numbers[wholeAt(batch, at + 1)] ?? -1;
    const route = routes[place];
    const tenantNo = wholeAt(batch, at + 2, Number.MIN_SAFE_INTEGER);
    const method = wholeAt(batch, at + 3);
    const params = textAt(batch, at + 4);
    const query = textAt(batch, at + 5);
    const authorization = textAt(batch, at + 6);
    const requestId = textAt(batch, at + 7);
    const carried = readCarried(textAt(batch, at + 8));
    const body = batch[at + 9]!;
    if (carried === null || method > METHODS.length || (typeof body === 'number' && body !== STREAMED))
      throw new LinkFault('a request that no door sends');
    const isPage = place === routes.length;
    const path = route?.row.path ?? '';
    const visit = isPage
      ? new FarPage(no, params, carried, this)
      : new FarVisit({ no, method, path, query, body }, carried, this);
    this.#visits.set(no, visit);
    if (this.#visits.size > limits.cluster.link.requestsMax) {
      answerRefusal(visit, requestId, refuseAtDoor('overloaded'));
      return;
    }
    if (route === undefined) {
      const isFound = isPage && doors.page(visit, requestId, () => carried.caller);
      // Else it is a page that the site does not have, or a route that this release lacks.
      if (!isFound) answerRefusal(visit, requestId, refuseAtDoor(isPage ? 'not_found' : 'unavailable'));
      return;
    }
    const arrival = new Arrival(visit, requestId, route, method, params, () => carried.caller);
    arrival.authorization = authorization;
    arrival.extra = carried.rest;
    arrival.isSent = true;
    arrival.streams = body === STREAMED;
    // Without a position its number says why there is none.
    arrival.tenantNo = Math.min(tenantNo, 0);
    doors.gate.forwarded(arrival, carried.position);
    this.#ports.referred?.offer(arrival.tenant);
  }
}
