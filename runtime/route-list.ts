/** Every service's route rows, in one fixed order: the numbers that cross the threads. Data only: the door never imports a handler. */
import type { Platform } from '#config/platform.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { RouteTable } from '#actors/protocol/route.ts';
import { routes as dataRoutes } from '#actors/data/routes.ts';
import { routes as identityRoutes } from '#actors/identity/routes.ts';
import { intakeRoutes } from '#actors/intake/routes.ts';

export const ROUTE_LIST: readonly (readonly [service: string, table: RouteTable])[] = [
  ['identity', identityRoutes],
  ['data', dataRoutes],
  ['intake', intakeRoutes],
];

/** The rows with their numbers. The same in every thread, since the list is. */
export function compileRoutes(_platform: Platform): CompiledRoute[] {
  const compiled: CompiledRoute[] = [];
  for (const [service, table] of ROUTE_LIST) {
    for (const [name, row] of Object.entries(table)) {
      const paramNames = [...row.path.matchAll(/\{([a-z_]+)\*?\}/g)].map((match) => match[1]!);
      compiled.push({ no: compiled.length, name, service, row, paramNames });
    }
  }
  return compiled;
}
