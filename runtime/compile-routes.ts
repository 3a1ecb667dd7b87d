/** Route rows with their numbers: the numbers cross the threads, so all threads number the rows alike. */
import type { Platform } from '#config/platform.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { compileRows, type FirstRoutes } from './compile-rows.ts';
import { configuredIntake } from './configured-intake.ts';
import { routeDirectory } from './route-directory.ts';

/** Every service's rows under this platform's settings. */
export function compileRoutes(platform: Platform): CompiledRoute[] {
  const first = firstRoutes();
  return routeDirectory.flatMap(({ name, routes }) =>
    compileRows(platform, name, name === 'intake' ? configuredIntake(platform) : routes, first[name]!),
  );
}

/** Where each service's numbers begin, for threads that compile the rows of one. */
export function firstRoutes(): FirstRoutes {
  let next = 0;
  const first: Record<string, number> = {};
  for (const { name, routes } of routeDirectory) {
    first[name] = next;
    next += Object.keys(routes).length;
  }
  return first;
}
