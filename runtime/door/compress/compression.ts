/**
 * Compression of answers (docs/contract/platform.md §3.9, docs/decisions/runtime.md RT-35).
 *
 * Who may call: any caller of a route whose answers may be compressed, by `Accept-Encoding`. What it costs: requests without the header one look for
 * it; else an object, and for an answer from a bound of bytes on at most some 0.1 ms of the door, or a turn on libuv's threads, a few at a time. Whom
 * it can hurt: its own caller, whose answer comes later; where too much waits, answers leave as they are.
 */
import type { Platform } from '#config/platform.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { Visit } from '../port.ts';
import { SiteVisit } from '../site-visit.ts';
import type { Arrival } from '../arrival.ts';
import { codingOf } from './coding.ts';
import { mayBeCompressed } from './compressed-rows.ts';
import { CompressingVisit } from './compressing-visit.ts';
import { Compressor } from './compressor.ts';

export class Compression {
  readonly #compressor = new Compressor();
  /** By route. */
  readonly #open: readonly boolean[];

  /** Null where the platform file wants none. */
  static of({ gateway }: Pick<Platform, 'gateway'>, routes: readonly CompiledRoute[]): Compression | null {
    return gateway.compression.enabled ? new Compression(routes) : null;
  }

  private constructor(routes: readonly CompiledRoute[]) {
    this.#open = Object.freeze(routes.map(mayBeCompressed));
  }

  /** The visit that compresses around `dressed`, which is the arrival's own or one around it; `dressed` itself where nothing is to be compressed. */
  dress({ route, visit }: Pick<Arrival, 'route' | 'visit'>, dressed: Visit): Visit {
    if (!this.#open[route.no]!) return dressed;
    const accepted = dressed.headers('accept-encoding');
    if (accepted === '' || isForeign(visit)) return dressed;
    return new CompressingVisit(dressed, codingOf(accepted), this.#compressor);
  }
}

/**
 * Whether another page may have sent the request with a cookie that is its credential: a link is let in. Only there could a page choose a text that is
 * compressed together with what the credential opens, and an eavesdropper compare lengths (BREACH).
 */
function isForeign(visit: Visit): boolean {
  return visit instanceof SiteVisit && visit.byCookie && visit.header('sec-fetch-site') !== 'same-origin';
}
