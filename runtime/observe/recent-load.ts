/**
 * What the node was asked in the last minutes, by tenant, route and status, and the slowest of these requests. Every answer costs some additions
 * and one comparison, and allocates nothing; the tables are bounded, and the tenants beyond them are counted together.
 */
import { limits } from '#config/limits.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { LoadFigures, NodeLoad, SlowRequest } from '#actors/protocol/node-view.ts';
import { emptySum, figuresOf, MinuteSeries, type Sum } from './minute-series.ts';
import { SlowRequests, type CountedRequest } from './slow-requests.ts';

const MINUTE_MS = 60_000;

interface Keyed<K> {
  readonly key: K;
  readonly series: MinuteSeries;
}

/** Busiest first, so many of them, and the others together. */
interface Table<K> {
  readonly rows: readonly (readonly [K, LoadFigures])[];
  readonly more: LoadFigures;
}

type Loads = Omit<NodeLoad, 'rates'>;

export class RecentLoad {
  readonly #tenantsMax: number;
  /** By number. */
  readonly #tenants = new Map<number, Keyed<string>>();
  /** Tenants without room, and requests that named no tenant. */
  readonly #otherTenants = new MinuteSeries();
  readonly #routes = new Map<CompiledRoute, Keyed<CompiledRoute>>();
  readonly #noRoute = new MinuteSeries();
  readonly #statuses = new Map<number, Keyed<number>>();
  readonly #slow = new SlowRequests();
  #sweptAt = 0;

  constructor(tenantsMax: number = limits.nodeView.tenantsMax) {
    this.#tenantsMax = tenantsMax;
  }

  /** Counts one answer. `nowMs`: of a clock that never goes back. */
  count(request: CountedRequest, status: number, seconds: number, byDoor: boolean, nowMs: number): void {
    const minute = minuteOf(nowMs);
    this.#ofTenant(request.tenant, minute).count(minute, status, seconds, byDoor);
    const { route } = request;
    const ofRoute = route === null ? this.#noRoute : seriesIn(this.#routes, route, route);
    ofRoute.count(minute, status, seconds, byDoor);
    seriesIn(this.#statuses, status, status).count(minute, status, seconds, byDoor);
    this.#slow.add(minute, request, status, seconds, byDoor);
  }

  /** The sums of the last minutes; `rowsMax`: rows of each table. */
  loads(minutes: number, rowsMax: number, nowMs: number): Loads {
    const minute = minuteOf(nowMs);
    const table = <K>(series: Iterable<Keyed<K>>, rest: MinuteSeries | null): Table<K> =>
      tableOf(series, rest, { minute, minutes, rowsMax });
    const statuses = table(this.#statuses.values(), null).rows;
    const tenants = table(this.#tenants.values(), this.#otherTenants);
    const routes = table(this.#routes.values(), this.#noRoute);
    const total = emptySum();
    for (const { series } of this.#statuses.values()) series.addTo(total, minute, minutes);
    return {
      minutes,
      total: figuresOf(total),
      statuses: statuses.map(([status, figures]) => ({ status, ...figures })),
      tenants: tenants.rows.map(([tenant, figures]) => ({ tenant, ...figures })),
      tenants_more: tenants.more,
      routes: routes.rows.map(([{ service, row }, figures]) => ({
        service,
        route: `${row.methods.join('|')} ${row.path}`,
        ...figures,
      })),
      routes_more: routes.more,
    };
  }

  /** The slowest requests of the last minutes. */
  slow(minutes: number, rowsMax: number, nowMs: number): SlowRequest[] {
    return this.#slow.list(minuteOf(nowMs), minutes, rowsMax);
  }

  #ofTenant(tenant: CountedRequest['tenant'], minute: number): MinuteSeries {
    if (tenant === undefined) return this.#otherTenants;
    const known = this.#tenants.get(tenant.no);
    if (known !== undefined) return known.series;
    if (this.#tenants.size >= this.#tenantsMax) this.#sweep(minute);
    if (this.#tenants.size >= this.#tenantsMax) return this.#otherTenants;
    return seriesIn(this.#tenants, tenant.no, tenant.position.key);
  }

  /** Makes room, at most once in a minute: many tenants without room must not cost a pass each. */
  #sweep(minute: number): void {
    if (this.#sweptAt === minute) return;
    this.#sweptAt = minute;
    for (const [no, { series }] of this.#tenants) if (series.isIdle(minute)) this.#tenants.delete(no);
  }
}

/** From 1 on: a cell of 0 was never written. */
const minuteOf = (nowMs: number): number => Math.floor(nowMs / MINUTE_MS) + 1;

function seriesIn<I, K>(map: Map<I, Keyed<K>>, id: I, key: K): MinuteSeries {
  let keyed = map.get(id);
  if (keyed === undefined) map.set(id, (keyed = { key, series: new MinuteSeries() }));
  return keyed.series;
}

interface Span {
  readonly minute: number;
  readonly minutes: number;
  readonly rowsMax: number;
}

function tableOf<K>(all: Iterable<Keyed<K>>, rest: MinuteSeries | null, { minute, minutes, rowsMax }: Span): Table<K> {
  const sums: (readonly [K, Sum])[] = [];
  for (const { key, series } of all) {
    const sum = series.addTo(emptySum(), minute, minutes);
    if (sum.requests > 0) sums.push([key, sum]);
  }
  sums.sort(([, a], [, b]) => b.requests - a.requests);
  const more = emptySum();
  rest?.addTo(more, minute, minutes);
  for (const [, sum] of sums.slice(rowsMax)) addSum(more, sum);
  return { rows: sums.slice(0, rowsMax).map(([key, sum]) => [key, figuresOf(sum)]), more: figuresOf(more) };
}

function addSum(to: Sum, { requests, refused, failed, byDoor, seconds }: Sum): void {
  to.requests += requests;
  to.refused += refused;
  to.failed += failed;
  to.byDoor += byDoor;
  to.seconds += seconds;
}
