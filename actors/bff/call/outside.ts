/** A call that leaves the node: of the caller's request it carries only what the declaration names, and the trace. */
import type { BffCall } from '#config/definitions/bff/shapes.ts';
import type { Call } from '#actors/host/call.ts';
import type { BffPart } from '../part.ts';
import type { Origin } from '../outside/origin.ts';
import type { CallEnd } from './end.ts';
import type { Rendered } from './render.ts';

/** W3C Trace Context §3.2: version, trace, parent, flags; an all-zero trace or parent is none. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]+)?$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** With everything loaded the request has left when this returns, so that the upstream works while the host goes on. */
export function askOutside(
  from: Call,
  part: BffPart,
  origin: string,
  declared: BffCall,
  rendered: Rendered,
): Promise<CallEnd> {
  const { method, timeoutMs, retries } = declared;
  const { path, query, body } = rendered;
  const target = query === '' ? path : `${path}?${query}`;
  const headers = { ...typesOf(body), ...rendered.headers, ...traceOf(from) };
  const request = { origin, method, target, headers, body, timeoutMs, retries, declared };
  const upstream = originOf(part, origin);
  return upstream instanceof Promise ? upstream.then((opened) => opened.call(request)) : upstream.call(request);
}

function typesOf(body: string | null): Record<string, string> {
  const accept = { accept: 'application/json', 'user-agent': 'skep' };
  return body === null ? accept : { ...accept, 'content-type': 'application/json' };
}

/** A service that takes part in a trace may pass it on unchanged (W3C Trace Context §3.4). */
function traceOf(from: Call): Record<string, string> {
  const trace: Record<string, string> = { 'x-request-id': from.requestId };
  const parent = from.header('traceparent');
  if (parent === undefined || !TRACEPARENT.test(parent)) return trace;
  trace['traceparent'] = parent;
  const state = from.header('tracestate');
  if (state !== undefined && TRACESTATE.test(state)) trace['tracestate'] = state;
  return trace;
}

/** One per tenant and origin; loaded with the first call, since most tenants never call outside. */
function originOf({ origins, settings, activation }: BffPart, origin: string): Origin | Promise<Origin> {
  const present = origins.get(origin);
  if (present !== undefined) return present;
  const opening = import('../outside/origin.ts').then((outside) => {
    const opened = new outside.Origin(settings.exchange, activation.context.log);
    origins.set(origin, opened);
    return opened;
  });
  origins.set(origin, opening);
  return opening;
}
