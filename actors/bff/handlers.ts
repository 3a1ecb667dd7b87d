/** Which function answers which route. */
import type { Handlers } from '#actors/host/service.ts';
import { healthy, ready } from '#actors/host/readiness.ts';
import { list } from './list.ts';
import type { Routes } from './routes.ts';
import { serveEndpoint } from './serve-endpoint.ts';

export function handlersOf(version: string): Handlers<Routes> {
  return {
    list,
    health: () => healthy(version),
    ready,
    endpoint: serveEndpoint,
  };
}
