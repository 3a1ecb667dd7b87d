/**
 * GET /bff/list: the product's endpoints as they are served, as far as the caller may call them. Their calls are shown only to callers with
 * a credential, and the origins of outside calls never.
 */
import type { BffCall } from '#config/definitions/bff/shapes.ts';
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { refuseCaller } from './authenticate.ts';
import { partOf } from './part.ts';
import type { Routes } from './routes.ts';

export function list(call: Call): Outcome<Routes['list']> {
  const { principal } = call;
  const offered = partOf(call.activation).endpoints.filter(
    ({ definition }) => refuseCaller(definition.auth, principal) === null,
  );
  const endpoints = offered.map(({ definition }) => {
    const { name, method, path, auth, cacheMs, calls } = definition;
    const line = { name, method, path, auth, cache_ms: cacheMs };
    return principal === null ? line : { ...line, calls: calls.map(shown) };
  });
  return reply(200, { endpoints, count: endpoints.length });
}

function shown({ name, to, method, stage, needs, onError, timeoutMs, retries, cacheMs }: BffCall) {
  return {
    name,
    to: to.kind === 'service' ? to.service : to.kind,
    method,
    stage,
    needs,
    on_error: onError,
    timeout_ms: timeoutMs,
    retries,
    cache_ms: cacheMs,
  };
}
