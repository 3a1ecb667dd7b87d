/**
 * Which requests are traced, and the door's own span of each. Decided once, at the head: by chance for most; by the caller's flag where its
 * peer is one that `telemetry.traces.trust_parent` names. Of any other caller neither trace nor flag counts, for these could make the node trace
 * everything: its trace is a link of the new one.
 *   who may trace: the peers that the platform file names     what it costs: for the others one random number a request
 *   whom can it hurt: spans have bounded queues behind them; a request neither waits for one nor fails by one
 */
import { isIP, type BlockList } from 'node:net';
import type { TraceConfig } from '#config/telemetry-section.ts';
import { SERVER_SPAN, processMs, type Attributes } from '#actors/kit/trace/span.ts';
import type { Spans } from '#actors/kit/trace/spans.ts';
import { parseTraceparent, parseTracestate, type Traceparent } from '#actors/kit/trace/trace-context.ts';
import { traceLine } from '#actors/host/turn-trace.ts';
import { METHODS } from '#actors/protocol/method.ts';
import { blockListOf } from './caller-address.ts';
import type { DoorTrace } from './door-trace.ts';
import type { Answered } from './gate-ports.ts';
import type { Visit } from './port.ts';

export interface DoorTracesPorts {
  readonly rules: Pick<TraceConfig, 'sample' | 'trust_parent'>;
  readonly spans: Spans;
  /** From 0, below 1. */
  random(): number;
}

const FAILED = 500;
const VERBS: ReadonlySet<string> = new Set([...METHODS, 'HEAD', 'OPTIONS']);

export class DoorTraces {
  readonly #ports: DoorTracesPorts;
  readonly #sample: number;
  /** Null where no peer is trusted: then the headers of requests that are not traced are not even read. */
  readonly #trusted: BlockList | null;

  constructor(ports: DoorTracesPorts) {
    this.#ports = ports;
    this.#sample = ports.rules.sample;
    this.#trusted = ports.rules.trust_parent.length === 0 ? null : blockListOf(ports.rules.trust_parent);
  }

  /** The trace of a request, or null when it is not traced. Inside the handler's synchronous part. */
  begin(visit: Visit): DoorTrace | null {
    if (this.#trusted !== null) {
      const parent = parentOf(visit);
      if (parent !== null && this.#trusts(this.#trusted, visit)) return this.#continued(parent, visit);
    }
    return this.#ports.random() < this.#sample ? this.#begun(visit) : null;
  }

  /** The pseudo header by which the request's thread continues the trace. */
  lineOf({ traceId, spanId, tracestate }: DoorTrace): string {
    return traceLine(traceId, spanId, tracestate);
  }

  /** Ends the span: the answer leaves. It names the declared route, as the access log does. */
  end(trace: DoorTrace, { visit, route, tenant }: Answered, status: number, byDoor: boolean): void {
    const method = VERBS.has(visit.method) ? visit.method : '_OTHER';
    const path = route?.row.path ?? '';
    const position = tenant?.position;
    const place: Attributes =
      position === undefined
        ? []
        : [
            ['skep.customer', position.customer],
            ['skep.product', position.product],
            ['skep.env', position.env],
            ['skep.tenant', position.tenant],
          ];
    this.#ports.spans.add({
      ...trace,
      isRemote: trace.parentId !== '',
      name: `${method} ${path}`,
      kind: SERVER_SPAN,
      startMs: processMs(visit.began),
      endMs: this.#ports.spans.now(),
      error: status >= FAILED ? String(status) : null,
      attributes: [
        ['http.request.method', method],
        ['http.route', path],
        ['http.response.status_code', status],
        ['skep.service', route?.service ?? 'door'],
        ['skep.by', byDoor ? 'door' : 'service'],
        ...place,
      ],
    });
  }

  /** Hands over what waits: the doors are closed. */
  flush(): void {
    this.#ports.spans.flush();
  }

  /** By the socket's peer: it wrote the header last. An address that a proxy names would let its callers write the flag. */
  #trusts(trusted: BlockList, visit: Visit): boolean {
    const peer = visit.ip();
    const family = isIP(peer);
    return family !== 0 && trusted.check(peer, family === 4 ? 'ipv4' : 'ipv6');
  }

  /** A trusted peer's flag counts either way. */
  #continued({ traceId, parentId, sampled }: Traceparent, visit: Visit): DoorTrace | null {
    if (!sampled) return null;
    const tracestate = parseTracestate(visit.headers('tracestate'));
    return { traceId, spanId: this.#ports.spans.spanId(), parentId, tracestate, link: null };
  }

  #begun(visit: Visit): DoorTrace {
    const { spans } = this.#ports;
    const other = parentOf(visit);
    const link = other === null ? null : ([other.traceId, other.parentId] as const);
    return { traceId: spans.traceId(), spanId: spans.spanId(), parentId: '', tracestate: '', link };
  }
}

/** One look for the header, which most requests lack, before all of its values are gathered. */
function parentOf(visit: Visit): Traceparent | null {
  return visit.header('traceparent') === '' ? null : parseTraceparent(visit.headers('traceparent'));
}
