/** First segments of paths that belong to services and probes of the gateway: no file of a product is looked for below them. */
import type { RouteRow } from '#actors/protocol/route.ts';
import { routeDirectory } from '#runtime/route-directory.ts';

/** Answered by the door itself (probes.ts). */
const PROBES = ['health', 'ready'];

export function servicePrefixes(): ReadonlySet<string> {
  const rows: readonly RouteRow[] = routeDirectory.flatMap(({ routes }) => Object.values(routes));
  const public_ = rows.filter(({ listener, to }) => listener !== 'own' && to !== 'vault');
  return new Set([...PROBES, ...public_.map(({ path }) => path.split('/')[1]!)]);
}
