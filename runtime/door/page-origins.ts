/**
 * CORS of the services, per product (`gateway.cors`): docs/contract/platform.md §3.4, docs/decisions/runtime.md RT-32. A page reads an
 * answer only where the product of its position lists the page's origin. A preflight carries no position, so it is answered for an origin
 * that any product lists: it says what the routes of the path take, which the documents say too, and nothing of a tenant.
 *
 * Costs: nothing where no product lists an origin; one look for the header in requests without `Origin`, and no allocation; else a lookup in
 * a map, an object, and lines that are joined.
 */
import type { Platform } from '#config/platform.ts';
import { RESERVED_TENANTS } from '#config/reserved-tenants.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { parsePosition, positionOfLog } from '#actors/protocol/position.ts';
import type { PathMatch } from '#actors/protocol/router.ts';
import type { Arrival } from './arrival.ts';
import { VARY, allowLine, sendLines } from './cors.ts';
import { verbsOf } from './methods.ts';
import { isForPages, sendableHeaders } from './page-headers.ts';
import { PageVisit, variedByOrigin } from './page-visit.ts';
import type { Visit } from './port.ts';
import { positionOfQuery, positionOfTicket } from './query-position.ts';

interface Listed {
  readonly products: ReadonlySet<string>;
  /** The line that lets its pages read an answer. */
  readonly allow: string;
}

type Methods = PathMatch['methods'];

export class PageOrigins {
  readonly #routes: readonly CompiledRoute[];
  /** By route: whether pages may call it. */
  readonly #open: readonly boolean[];
  readonly #listed: ReadonlyMap<string, Listed>;
  /** What may be sent, by the routes of a path: as many entries as there are such sets of routes. */
  readonly #sendable = new Map<string, string>();

  /** Null where no product lists an origin: nothing then looks at `Origin`. */
  static of({ gateway }: Platform, routes: readonly CompiledRoute[]): PageOrigins | null {
    const listed = listedIn(gateway.cors);
    return listed.size === 0 ? null : new PageOrigins(routes, listed);
  }

  private constructor(routes: readonly CompiledRoute[], listed: ReadonlyMap<string, Listed>) {
    this.#routes = routes;
    this.#open = Object.freeze(routes.map(isForPages));
    this.#listed = listed;
  }

  /** Whether pages of the request's origin may read its answers. */
  isListed(arrival: Arrival): boolean {
    const listed = this.#open[arrival.route.no]! ? this.#listed.get(arrival.visit.header('origin')) : undefined;
    return listed !== undefined && isReadAt(arrival, listed.products);
  }

  /** The visit of a request that has a route; around it, where it names an origin, the visit that says what pages may read. */
  dress(arrival: Arrival): Visit {
    const { visit, route } = arrival;
    if (!this.#open[route.no]!) return visit;
    const origin = visit.header('origin');
    if (origin === '') return visit;
    const listed = this.#listed.get(origin);
    return new PageVisit(visit, listed !== undefined && isReadAt(arrival, listed.products) ? listed.allow : '');
  }

  /** The same for a path without this verb, whose bare answer says nothing of a tenant. */
  dressOther(visit: Visit, methods: Methods): Visit {
    const origin = visit.header('origin');
    if (origin === '' || this.#openAt(methods).length === 0) return visit;
    return new PageVisit(visit, this.#listed.get(origin)?.allow ?? '');
  }

  /** The CORS lines of the answer to a preflight; null where it is none, or of no listed origin, or of a path without routes for pages. */
  preflight(visit: Visit, methods: Methods): string | null {
    if (visit.header('access-control-request-method') === '') return null;
    const listed = this.#listed.get(visit.header('origin'));
    if (listed === undefined) return null;
    const open = this.#openAt(methods);
    if (open.length === 0) return null;
    const verbs = verbsOf((method) => open.includes(methods[method] ?? -1));
    return `${VARY}${listed.allow}${sendLines(verbs.join(', '), this.#sendableAt(open))}`;
  }

  /** An answer that caches may keep has another head for pages: also those that no page asked for vary by `Origin`. */
  kept(route: CompiledRoute, lines: string): string {
    if (!this.#open[route.no]! || !lines.includes('Cache-Control: ') || lines.includes('no-store')) return lines;
    return variedByOrigin(lines);
  }

  /** Numbers of the routes at a path that pages may call. */
  #openAt(methods: Methods): number[] {
    return Object.values(methods).filter((no): no is number => no !== undefined && this.#open[no]!);
  }

  #sendableAt(open: readonly number[]): string {
    const key = open.join();
    const known = this.#sendable.get(key) ?? sendableHeaders(open.map((no) => this.#routes[no]!.row));
    this.#sendable.set(key, known);
    return known;
  }
}

function listedIn(cors: Platform['gateway']['cors']): ReadonlyMap<string, Listed> {
  const listed = new Map<string, { readonly products: Set<string>; readonly allow: string }>();
  for (const [product, { origins }] of Object.entries(cors)) {
    for (const origin of origins) {
      const known = listed.get(origin) ?? { products: new Set<string>(), allow: allowLine(origin) };
      listed.set(origin, known);
      known.products.add(product);
    }
  }
  return listed;
}

/**
 * Whether the products' pages may read an answer of the route: one at the position of one of them, or of a tenant's log, or one that no
 * position changes. Answers at an operator plane are for no page.
 */
function isReadAt({ route, visit, params }: Arrival, products: ReadonlySet<string>): boolean {
  const beside = route.row.ticketed === true ? positionOfTicket(visit) : '';
  if (route.row.positionIn === 'query' || beside !== '') {
    const position = parsePosition(beside === '' ? positionOfQuery(visit.query) : beside);
    return position !== null && isPagesOf(products, position.product, position.tenant);
  }
  if (route.row.position !== 'none') return isPagesOf(products, visit.header('x-product'), visit.header('x-tenant'));
  if (route.row.to !== 'audit' || route.paramNames[0] !== 'id') return true;
  const position = positionOfLog(decoded(params.split('\n', 1)[0]!));
  return position !== null && isPagesOf(products, position.product, position.tenant);
}

function isPagesOf(products: ReadonlySet<string>, product: string, tenant: string): boolean {
  return products.has(product) && tenant !== RESERVED_TENANTS.operatorPlane;
}

/** A parameter as the thread reads it; as it was sent where it is no sound encoding. */
function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}
