/** Which routes pages of other origins may call, and what they may send there: derived from the rows. */
import { CALLER_IP } from '#actors/protocol/frame.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { POSITION } from '#actors/protocol/position-parameters.ts';
import type { RouteRow } from '#actors/protocol/route.ts';

/** Services that products' pages call. Forms have origins of their own, and the vault has none. */
const SERVICES: ReadonlySet<string> = new Set(['identity', 'data', 'bff', 'content', 'audit']);

/** Operators' routes, and those of the node's own parts: no page calls them. */
const CLOSED = /^\/(?:data\/)?(?:superadmin|internal)(?:\/|$)|^\/auth\/bootstrap$/;

/** Whether pages of products' origins may call a route. Routes of a service's own listener alone are its probes. */
export function isForPages({ service, row }: CompiledRoute): boolean {
  return SERVICES.has(service) && row.listener !== 'own' && !CLOSED.test(row.path);
}

/** Headers that browsers write by themselves. */
const BROWSERS_OWN: ReadonlySet<string> = new Set(['origin', 'referer', 'user-agent']);

/** Marks what the door knows of a caller from among a row's headers: `:ip`, `:verb` (frame.ts). */
const PSEUDO = CALLER_IP.slice(0, 1);

/** The request headers that the routes at a path read, as `Access-Control-Allow-Headers` has them. */
export function sendableHeaders(rows: readonly RouteRow[]): string {
  return [...new Set(rows.flatMap(readBy))].sort().join(', ');
}

/** What the row names, and what the door reads for it. */
function readBy({ callers, position, body, headers = [], queryHeaders = [] }: RouteRow): string[] {
  const named = [...headers, ...queryHeaders].filter((name) => !name.startsWith(PSEUDO) && !BROWSERS_OWN.has(name));
  return [
    'X-Request-Id',
    ...(callers.auth === 'none' ? [] : ['Authorization']),
    ...(position === 'none' ? [] : POSITION),
    ...(body === 'none' ? [] : ['Content-Type']),
    ...named.map(headerCase),
  ];
}

/** `If-None-Match` of `if-none-match`. */
function headerCase(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}
