/**
 * Requests to the world outside: to declared hosts only, never to a private address by accident (addresses are checked where the
 * connection is made, `guard.ts`), with a deadline, a bounded answer, and no redirects.
 */
import type { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { limits } from '#config/limits.ts';
import { AddressGuard } from './guard.ts';
import { OutboundFault } from './fault.ts';

export interface OutboundOptions {
  /** `outbound.allow_private` of the platform file. */
  readonly allowPrivate?: readonly string[];
  readonly deadlineMs?: number;
  readonly responseBytesMax?: number;
  readonly inFlightMax?: number;
  /** How names are resolved; the system's resolver when absent. */
  readonly resolve?: typeof lookup;
}

export interface OutboundRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** `status`: only the status is needed, so the body is not read. */
  readonly wants?: 'answer' | 'status';
  /** Ends the exchange before its deadline. */
  readonly signal?: AbortSignal | undefined;
}

export class Outbound {
  readonly #guard: AddressGuard;
  readonly #deadlineMs: number;
  readonly #bytesMax: number;
  readonly #inFlightMax: number;
  #inFlight = 0;

  constructor(options: OutboundOptions = {}) {
    this.#guard = new AddressGuard(options.allowPrivate ?? [], options.resolve);
    this.#deadlineMs = options.deadlineMs ?? limits.outbound.deadlineMs;
    this.#bytesMax = options.responseBytesMax ?? limits.outbound.responseBytesMax;
    this.#inFlightMax = options.inFlightMax ?? limits.outbound.inFlightMax;
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

  #exchange(url: URL, { method, headers, body, wants }: OutboundRequest, signal: AbortSignal): Promise<Response> {
    this.#guard.check(url);
    const lookup = this.#guard.lookup(url);
    const options: RequestOptions = { method, headers, signal, lookup, agent: false };
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? requestHttps : requestHttp;
      const request = send(url, options, (response) => {
        if (wants === 'status') {
          resolve(new Response(null, { status: response.statusCode! }));
          request.destroy();
          return;
        }
        this.#collect(url, response).then(resolve, (error: Error) => {
          request.destroy();
          reject(error);
        });
      });
      request.on('error', reject);
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

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  return headers;
}
