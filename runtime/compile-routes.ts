/** Route rows with their numbers: the numbers cross the threads, so every thread compiles the same list. */
import type { Platform } from '#config/platform.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { RouteRow, RouteTable } from '#actors/protocol/route.ts';
import { intakeRoutes } from '#actors/intake/routes.ts';
import { routeDirectory } from './route-directory.ts';

/** Every service's rows under this platform's settings. */
export function compileRoutes(platform: Platform): CompiledRoute[] {
  const compiled: CompiledRoute[] = [];
  for (const { name: service, routes } of routeDirectory) {
    for (const [name, declared] of Object.entries(service === 'intake' ? configuredIntake(platform) : routes)) {
      const row = platform.audit.enabled || takesKeys(service, declared) ? withAddress(service, declared) : declared;
      const paramNames = [...row.path.matchAll(/\{([a-z_]+)\*?\}/g)].map((match) => match[1]!);
      compiled.push({ no: compiled.length, name, service, row, paramNames });
    }
  }
  return compiled;
}

/** Services that record their events in the tenant's audit log. */
const RECORDED: ReadonlySet<string> = new Set(['identity', 'data', 'content', 'bff']);

/** Requests that can change something carry the caller's address to the thread, since the audit record of the change contains it. */
function withAddress(service: string, row: RouteRow): RouteRow {
  const reads = row.methods.every((method) => method === 'GET') && !takesKeys(service, row);
  const headers = row.headers ?? [];
  if (!RECORDED.has(service) || reads || headers.includes(CALLER_IP)) return row;
  return { ...row, headers: [CALLER_IP, ...headers] };
}

/** Routes of identity that read a credential: a key may be bound to addresses, whatever the route then says of keys. */
function takesKeys(service: string, { callers }: RouteRow): boolean {
  return service === 'identity' && callers.auth === 'required';
}

function configuredIntake(platform: Platform): RouteTable {
  const { http, cors } = platform.intake;
  // Origins are compared in the form that browsers send: lower case, without the scheme's default port.
  const origins = cors.origins.map((origin) => new URL(origin).origin);
  return intakeRoutes({ bodyBytesMax: http.max_body_bytes, origins });
}
