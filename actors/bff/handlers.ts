/** Which function answers which route. */
import type { Handlers } from '#actors/host/service.ts';
import { readiness } from '#actors/host/readiness.ts';
import { reply } from '#actors/protocol/route.ts';
import { list } from './list.ts';
import type { Routes } from './routes.ts';
import { serveEndpoint } from './serve-endpoint.ts';

export function handlersOf(version: string): Handlers<Routes> {
  return {
    list,
    health: () => reply(200, { healthy: true, version }),
    ready: (call) => readiness(call, 200, true),
    endpoint: serveEndpoint,
  };
}
