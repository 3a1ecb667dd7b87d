/**
 * Requests to the world outside: to declared hosts only, never to a private address by accident (addresses are checked where the
 * connection is made, `guard.ts`), with a deadline, a bounded answer, and no redirects.
 */
import type { lookup } from 'node:dns';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { limits } from '#config/limits.ts';
import { AddressGuard } from './guard.ts';
import { OutboundFault } from './fault.ts';
import type { KeptConnections, KeptOrigin } from './kept-connections.ts';

export interface OutboundOptions {
  /** `outbound.allow_private` of the platform file. */
  readonly allowPrivate?: readonly string[];
  readonly deadlineMs?: number;
  readonly responseBytesMax?: number;
  readonly inFlightMax?: number;
  /** How names are resolved; the system's resolver when absent. */
  readonly resolve?: typeof lookup;
  /** Connections that stay open for a next request of which only the status is wanted; without it each request makes one. */
  readonly kept?: KeptConnections;
}

export interface OutboundRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** `status`: only the status is needed, so the body is dropped, and beyond a few KiB not read. */
  readonly wants?: 'answer' | 'status';
  /** Ends the exchange before its deadline. */
  readonly signal?: AbortSignal | undefined;
}

export class Outbound {
  readonly #guard: AddressGuard;
  readonly #deadlineMs: number;
  readonly #bytesMax: number;
  readonly #inFlightMax: number;
  readonly #kept: KeptConnections | null;
  #inFlight = 0;

  constructor(options: OutboundOptions = {}) {
    this.#guard = new AddressGuard(options.allowPrivate ?? [], options.resolve);
    this.#deadlineMs = options.deadlineMs ?? limits.outbound.deadlineMs;
    this.#bytesMax = options.responseBytesMax ?? limits.outbound.responseBytesMax;
    this.#inFlightMax = options.inFlightMax ?? limits.outbound.inFlightMax;
    this.#kept = options.kept ?? null;
  }

  /** One exchange; the whole answer is read. Rejects with OutboundFault. A redirect is an answer like any other. */
  async fetch(url: URL, request: OutboundRequest): Promise<Response> {
    if (this.#inFlight >= this.#inFlightMax) throw new OutboundFault('busy', 'too many requests under way');
    this.#inFlight++;
    const deadline = AbortSignal.timeout(this.#deadlineMs);
    const signal = request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal]);
    try {
      return await this.#exchange(url, request, signal);
    } catch (error) {
      if (error instanceof OutboundFault) throw error;
      const message = `${url.origin}: ${(error as Error).message}`;
      throw new OutboundFault(deadline.aborted ? 'deadline' : 'failed', message);
    } finally {
      this.#inFlight--;
    }
  }

  #exchange(url: URL, wish: OutboundRequest, signal: AbortSignal): Promise<Response> {
    this.#guard.check(url);
    const kept = wish.wants === 'status' ? (this.#kept?.of(url, this.#guard.lookup(url)) ?? null) : null;
    return kept === null ? this.#exchangeAnew(url, wish, signal) : this.#exchangeOver(kept, url, wish, signal);
  }

  async #exchangeOver(kept: KeptOrigin, url: URL, wish: OutboundRequest, signal: AbortSignal): Promise<Response> {
    const { isUsed } = kept;
    const { method, headers, body = null } = wish;
    try {
      const status = await kept.status({ method, path: url.pathname + url.search, headers, body }, signal);
      return new Response(null, { status });
    } catch (error) {
      // A receiver may close a connection that waits while the next request is on its way: that one needs a new connection.
      if (isUsed && !signal.aborted && !(error instanceof OutboundFault)) return this.#exchangeAnew(url, wish, signal);
      throw error;
    }
  }

  /** Over a connection of its own. */
  #exchangeAnew(url: URL, { method, headers, body, wants }: OutboundRequest, signal: AbortSignal): Promise<Response> {
    const options: RequestOptions = { method, headers, signal, lookup: this.#guard.lookup(url), agent: false };
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? requestHttps : requestHttp;
      let isAnswered = false;
      const request = send(url, options, (response) => {
        isAnswered = true;
        if (wants === 'status') {
          void dropped(response).then(() => resolve(new Response(null, { status: response.statusCode! })));
          return;
        }
        this.#collect(url, response).then(resolve, (error: Error) => {
          request.destroy();
          reject(error);
        });
      });
      request.on('error', (error) => {
        if (!isAnswered || wants !== 'status') reject(error);
      });
      request.end(body);
    });
  }

  async #collect(url: URL, response: IncomingMessage): Promise<Response> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > this.#bytesMax) throw new OutboundFault('too_large', `${url.origin}: answer above ${this.#bytesMax}`);
      chunks.push(chunk);
    }
    const status = response.statusCode!;
    const body = status === 204 || status === 205 || status === 304 ? null : Buffer.concat(chunks);
    return new Response(body, { status, headers: headersOf(response) });
  }
}

/** Reads the body away, so that its connection can stay; a long one ends the connection. Resolves when nothing more of it comes. */
function dropped(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  response.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > limits.outbound.droppedBytesMax) response.destroy();
  });
  response.on('error', () => undefined);
  return new Promise((resolve) => void response.once('close', resolve));
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  return headers;
}
