/**
 * /data/x/{path}: a scripted endpoint (docs/contract/data-behaviour.md §3.2). Checked in this order: path, verb, caller, rate, body; then a kept
 * answer is given, or the script runs.
 */
import { limits } from '#config/limits.ts';
import type { EndpointDefinition } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { CALLER_BUCKET } from '#actors/protocol/frame.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { renderedAs } from '#actors/protocol/body.ts';
import { replyJson, type Outcome } from '#actors/protocol/route.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import { partOf } from '../part.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { refuseCaller } from './admit.ts';
import type { Endpoints, Verb } from './endpoints.ts';
import type { Taken } from './rate.ts';
import { runScript } from './run-script.ts';

type Answered = Outcome<Routes['endpoint']>;
type Headers = Readonly<Record<string, string>>;

export function callEndpoint(call: Call): Answered | Promise<Answered> {
  const { endpoints } = partOf(call.activation);
  const endpoint = find(endpoints, call);
  if (isRefusal(endpoint)) return endpoint;
  const refused = refuseCaller(endpoint.auth, call.principal);
  if (refused !== null) return refused;
  const taken = takeRate(endpoints, endpoint, call);
  if (taken?.granted === false) return rateLimited(endpoint, taken);
  const body = bodyOf(call, endpoint);
  if (isRefusal(body)) return body;
  return answer(call, endpoints, endpoint, body, rateHeaders(taken));
}

function find(
  endpoints: Endpoints,
  call: Call,
): EndpointDefinition | Refusal<'v2.endpoint_not_found' | 'v2.method_not_allowed'> {
  const path = call.param('path');
  const verbs = endpoints.at(path);
  if (verbs === undefined) return refuse('v2.endpoint_not_found', { message: `no endpoint ${shown(path)}` });
  const endpoint = verbs.get(call.method as Verb);
  if (endpoint !== undefined) return endpoint;
  return refuse('v2.method_not_allowed', { headers: { Allow: [...verbs.keys()].join(', ') } });
}

function callerOf(call: Call): string {
  return call.principal === null
    ? `ip ${call.header(CALLER_BUCKET) ?? ''}`
    : `${call.principal.type} ${call.principal.subject}`;
}

function takeRate(endpoints: Endpoints, endpoint: EndpointDefinition, call: Call): Taken | null {
  if (endpoint.rate === null) return null;
  const key = `${endpoint.verb} ${endpoint.path} ${callerOf(call)}`;
  return endpoints.rates.take(key, endpoint.rate, call.activation.context.clock.now());
}

function rateHeaders(taken: Taken | null): Headers {
  if (taken === null) return {};
  return {
    'X-RateLimit-Limit': String(taken.limit),
    'X-RateLimit-Remaining': String(taken.remaining),
    'X-RateLimit-Reset': String(Math.ceil(taken.resetMs / 1000)),
  };
}

function rateLimited(endpoint: EndpointDefinition, taken: Taken): Refusal<'v2.rate_limited'> {
  return refuse('v2.rate_limited', {
    headers: { ...rateHeaders(taken), ...retryAfter(taken.retryAfterSeconds) },
    details: {
      profile: endpoint.path,
      limit: taken.limit,
      remaining: taken.remaining,
      retry_after: taken.retryAfterSeconds,
    },
  });
}

/** The body as the script sees it: null where there is none, and on a GET of a query endpoint. */
function bodyOf(call: Call, endpoint: EndpointDefinition): { readonly value: unknown } | Refusal<'v2.bad_body'> {
  if (call.body.length === 0 || (call.method === 'GET' && endpoint.kind === 'query')) return { value: null };
  if (call.body.length > limits.scripts.bodyBytesMax)
    return refuse('v2.bad_body', { message: `the body is larger than ${limits.scripts.bodyBytesMax} bytes` });
  const parsed = call.json();
  return parsed.ok ? { value: parsed.value } : refuse('v2.bad_body', { message: parsed.fault });
}

function answer(
  call: Call,
  { cache }: Endpoints,
  endpoint: EndpointDefinition,
  body: { readonly value: unknown },
  headers: Headers,
): Answered | Promise<Answered> {
  const request = requestText(call, endpoint, body.value);
  if (endpoint.cacheMs === 0) return scriptReply(call, endpoint, request, headers, null);
  const { clock } = call.activation.context;
  // Besides the rows, the answer depends on what the script sees, and on the caller, of whom access rules see more.
  const key = `${endpoint.verb} ${endpoint.path} ${whole(call.principal)} ${request}`;
  const kept = cache.get(key, clock.now());
  if (kept !== undefined) return replyJson(200, renderedAs(kept), { ...headers, 'X-Cache': 'HIT' });
  const keep = (text: string): void => cache.set(key, text, clock.now() + endpoint.cacheMs);
  return scriptReply(call, endpoint, request, { ...headers, 'X-Cache': 'MISS' }, keep);
}

async function scriptReply(
  call: Call,
  endpoint: EndpointDefinition,
  request: string,
  headers: Headers,
  keep: ((text: string) => void) | null,
): Promise<Answered> {
  const result = await runScript(call, endpoint, request);
  if (isRefusal(result)) return result;
  keep?.(result);
  return replyJson(200, renderedAs(result), headers);
}

/** What the script sees as `request`: the first value of each query key, the headers that the endpoint names, and the principal. */
function requestText(call: Call, endpoint: EndpointDefinition, body: unknown): string {
  const query = Object.create(null) as Record<string, string>;
  for (const [key, value] of call.query) if (!Object.hasOwn(query, key)) query[key] = value;
  const headers: Record<string, string> = {};
  for (const name of endpoint.headers) {
    const value = name === 'x-request-id' ? call.requestId : call.header(name);
    if (value !== undefined) headers[name] = value;
  }
  const { position } = call.activation;
  const { type, subject, roles, scope, superadmin } = call.principal ?? NO_PRINCIPAL;
  const principal = { type, subject, roles, scope, superadmin };
  return JSON.stringify({
    method: call.method,
    path: endpoint.path,
    query,
    headers,
    body,
    principal,
    tenant: position.key,
  });
}

/** What access rules see of a principal beyond what the script sees, as a part of the cache key. */
function whole(principal: Call['principal']): string {
  if (principal === null) return '';
  const { tenant, sid, actor, readonly } = principal;
  return JSON.stringify([tenant, sid, actor, readonly]);
}

const NO_PRINCIPAL = { type: 'anonymous', subject: '', roles: [], scope: [], superadmin: false } as const;
