/**
 * The rows of one service with their numbers, which cross the threads. A thread that serves one service compiles that service's rows alone: those of all take a thread a tenth of a second and
 * megabytes of memory.
 */
import type { Platform } from '#config/platform.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { RouteRow, RouteTable } from '#actors/protocol/route.ts';

/** The number of the first row of each service; the others follow in the order of its table. */
export type FirstRoutes = Readonly<Record<string, number>>;

/** A service's rows under this platform's settings, numbered from `first` on. */
export function compileRows(platform: Platform, service: string, table: RouteTable, first: number): CompiledRoute[] {
  return Object.entries(table).map(([name, declared], at) => {
    const row = platform.audit.enabled || takesKeys(service, declared) ? withAddress(service, declared) : declared;
    const paramNames = [...row.path.matchAll(/\{([a-z_]+)\*?\}/g)].map((match) => match[1]!);
    return { no: first + at, name, service, row, paramNames };
  });
}

/** The rows, each at the place of its number, for a host that serves no other service: it is asked for no other number. */
export function atNumbers(rows: readonly CompiledRoute[]): readonly CompiledRoute[] {
  const placed: CompiledRoute[] = [];
  for (const row of rows) placed[row.no] = row;
  return placed;
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
