/** /bff/{path}: an endpoint of the product. Path, method, caller, body, in this order; then the kept answer, or the calls. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { renderedAs } from '#actors/protocol/body.ts';
import { replyJson, type Outcome } from '#actors/protocol/route.ts';
import { refuseCaller } from './authenticate.ts';
import type { Asking } from './call/ask.ts';
import { bare, scopeOf, type Scope } from './call/scope.ts';
import { partOf, type BffPart, type OpenEndpoint } from './part.ts';
import { refuse } from './refusals.ts';
import { compose, type Composed, type Degraded } from './response/compose.ts';
import type { Routes } from './routes.ts';
import { runCalls, type Ran } from './run-calls.ts';
import { whole } from './whose.ts';

type Answer = Outcome<Routes['endpoint']>;

export function serveEndpoint(call: Call): Answer | Promise<Answer> {
  const part = partOf(call.activation);
  const found = find(part, call);
  if (isRefusal(found)) return found;
  const { endpoint, params } = found;
  if (call.trace !== null) call.trace.about('skep.bff.endpoint', endpoint.definition.name);
  if (endpoint.faulty) return notServed(endpoint);
  const refused = refuseCaller(endpoint.definition.auth, call.principal);
  if (refused !== null) return refused;
  const body = bodyOf(call);
  if (isRefusal(body)) return body;
  if (part.load.running >= limits.bff.runningMax) return refuse('bff.unavailable');
  return running(part, () => answer(call, part, endpoint, scopeOf(call, params, body.value)));
}

function notServed({ definition: { name } }: OpenEndpoint): Refusal<'bff.unavailable'> {
  return refuse('bff.unavailable', {
    message: `the endpoint ${name} is not served: its response does not compile`,
  });
}

async function running<T>(part: BffPart, run: () => Promise<T>): Promise<T> {
  part.load.running++;
  try {
    return await run();
  } finally {
    part.load.running--;
  }
}

interface Found {
  readonly endpoint: OpenEndpoint;
  readonly params: Record<string, string>;
}

function find(
  { endpoints, router }: BffPart,
  call: Call,
): Found | Refusal<'bff.endpoint_not_found' | 'bff.method_not_allowed'> {
  const match = router.find(`/${call.rawParam('path')}`, call.method);
  if (match === null) return refuse('bff.endpoint_not_found');
  const no = match.methods[call.method === 'HEAD' ? 'GET' : call.method];
  if (no === undefined)
    return refuse('bff.method_not_allowed', { headers: { Allow: Object.keys(match.methods).join(', ') } });
  const endpoint = endpoints[no]!;
  const params = bare<string>();
  match.params.split('\n').forEach((raw, index) => {
    const name = endpoint.params[index];
    if (name !== undefined) params[name] = decoded(raw);
  });
  return { endpoint, params };
}

/** Undecoded when it does not decode, as every path parameter. */
function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

function bodyOf(call: Call): { readonly value: unknown } | Refusal<'bff.bad_body'> {
  if (call.body.length === 0 || call.method === 'GET' || call.method === 'HEAD') return { value: null };
  const parsed = call.json();
  return parsed.ok ? { value: parsed.value } : refuse('bff.bad_body', { message: parsed.fault });
}

async function answer(call: Call, part: BffPart, endpoint: OpenEndpoint, scope: Scope): Promise<Answer> {
  const { cacheMs, name } = endpoint.definition;
  const whose = (): string => `${name} ${whole(call.principal)}`;
  if (cacheMs === 0) return fresh({ from: call, part, whose }, endpoint, scope, null);
  const { clock } = call.activation.context;
  // Besides the answers of calls, the answer depends on what a declaration can name of the request.
  const headers = endpoint.headers.map((header) => scope.header[header] ?? null);
  // A parameter that no declaration names changes nothing: it must not turn a hit into a miss.
  const query = endpoint.queries?.map((name) => scope.query[name] ?? null) ?? scope.query;
  const key = JSON.stringify([whose(), scope.path, query, headers]);
  const kept = part.kept.get(key, clock.now(), cacheMs);
  if (kept === undefined) return fresh({ from: call, part, whose }, endpoint, scope, key);
  call.saw(kept.seen);
  return replyJson(200, renderedAs(kept.value as string), { 'X-Cache': 'HIT' });
}

async function fresh(asking: Asking, endpoint: OpenEndpoint, scope: Scope, key: string | null): Promise<Answer> {
  const { definition, program } = endpoint;
  const ran = await runCalls(definition.calls, scope, asking);
  if (ran.kind !== 'ran') return failure(ran);
  const { degraded, chars } = ran;
  const material = { response: definition.response, program, scope, degraded, chars };
  const composed = await compose(material, asking.part.settings.jobs);
  return answered(asking, composed, degraded, key);
}

function failure(ran: Exclude<Ran, { kind: 'ran' }>): Answer {
  if (ran.kind === 'unusable') return refuse('bff.bad_value', { message: ran.message, details: { call: ran.call } });
  const { reason, status } = ran.end;
  return refuse('bff.upstream_failed', {
    status: reason === 'timeout' ? 504 : 502,
    message: `the call "${ran.call}" failed`,
    details: { call: ran.call, reason, ...(status !== undefined && { status }) },
  });
}

function answered(
  { from, part }: Asking,
  composed: Composed,
  degraded: readonly Degraded[],
  key: string | null,
): Answer {
  if (composed.kind === 'failed') return refuse('bff.response_failed', { message: composed.message });
  if (composed.kind === 'busy') return refuse('bff.unavailable');
  const text = renderedAs<unknown>(composed.text);
  if (degraded.length > 0) {
    const names = degraded.map(({ call }) => call).join(', ');
    return replyJson(200, text, { 'X-Degraded': names, 'Cache-Control': 'no-store' });
  }
  if (key === null) return replyJson(200, text);
  const now = from.activation.context.clock.now();
  part.kept.set(key, { value: text, chars: text.length, seen: from.seen }, now);
  return replyJson(200, text, { 'X-Cache': 'MISS' });
}
