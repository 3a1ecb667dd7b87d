/** A call that leaves the node: of the caller's request it carries only what the declaration names, and the trace. */
import { targetOf } from '#config/private-hosts.ts';
import type { BffCall } from '#config/definitions/bff/shapes.ts';
import type { Call } from '#actors/host/call.ts';
import { CLIENT_SPAN } from '#actors/kit/trace/span.ts';
import { parseTraceparent, parseTracestate } from '#actors/kit/trace/trace-context.ts';
import type { Trace } from '#actors/kit/trace/trace.ts';
import type { BffPart } from '../part.ts';
import type { Origin } from '../outside/origin.ts';
import type { CallEnd } from './end.ts';
import type { Rendered } from './render.ts';

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
  const span = from.trace === null ? null : from.trace.begin();
  const headers = { ...typesOf(body), ...rendered.headers, ...traceOf(from, span) };
  const request = { origin, method, target, headers, body, timeoutMs, retries, declared };
  const upstream = originOf(part, origin);
  const called = upstream instanceof Promise ? upstream.then((opened) => opened.call(request)) : upstream.call(request);
  return span === null ? called : asSpan(span, called, origin, declared);
}

/** The call as a span: its origin and its declared name, neither its path nor what it sends. */
async function asSpan(
  span: Trace,
  called: Promise<CallEnd>,
  origin: string,
  { method, name }: BffCall,
): Promise<CallEnd> {
  const { hostname, port } = targetOf(new URL(origin));
  const attributes = [
    ['http.request.method', method],
    ['server.address', hostname],
    ['server.port', port],
    ['skep.bff.call', name],
  ] as const;
  const end = await called.catch((error: unknown) => {
    span.end(`${method} ${name}`, 'fault', attributes, CLIENT_SPAN);
    throw error;
  });
  const status = end.ok || end.status === undefined ? [] : [['http.response.status_code', end.status] as const];
  span.end(`${method} ${name}`, end.ok ? null : end.reason, [...attributes, ...status], CLIENT_SPAN);
  return end;
}

function typesOf(body: string | null): Record<string, string> {
  const accept = { accept: 'application/json', 'user-agent': 'skep' };
  return body === null ? accept : { ...accept, 'content-type': 'application/json' };
}

/** A traced call continues its trace below its own span; any other one passes the caller's on unchanged (W3C Trace Context §4.2). */
function traceOf(from: Call, span: Trace | null): Record<string, string> {
  const id = { 'x-request-id': from.requestId };
  if (span !== null) return { ...id, traceparent: span.traceparent, ...stateOf(span.tracestate) };
  const parent = from.header('traceparent');
  if (parent === undefined || parseTraceparent(parent) === null) return id;
  return { ...id, traceparent: parent, ...stateOf(parseTracestate(from.header('tracestate') ?? '')) };
}

const stateOf = (tracestate: string): Record<string, string> => (tracestate === '' ? {} : { tracestate });

/** One per tenant and origin; loaded with the first call, since most tenants never call outside. */
function originOf({ origins, settings, activation }: BffPart, origin: string): Origin | Promise<Origin> {
  const present = origins.get(origin);
  if (present !== undefined) return present;
  const opening = import('../outside/origin.ts').then((outside) => {
    const opened = new outside.Origin(settings.exchange, activation.context.log, activation.use);
    origins.set(origin, opened);
    return opened;
  });
  origins.set(origin, opening);
  return opening;
}
