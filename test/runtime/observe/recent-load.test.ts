/** What the node was asked of late, against a list of every request. Spec: docs/contract/node.md §4, §5. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { LoadFigures } from '#actors/protocol/node-view.ts';
import { compileRoutes } from '#runtime/compile-routes.ts';
import { RecentLoad } from '#runtime/observe/recent-load.ts';
import { resolveText } from '#test/kit/platform-text.ts';
import { Random } from '#test/kit/random.ts';

const { keptMinutes, slowMsMin, slowPerMinute, slowPerRoute } = limits.nodeView;
const MINUTE_MS = 60_000;
const ROUTES = compileRoutes(resolveText(''));
const STATUSES = [101, 200, 201, 204, 304, 400, 401, 404, 429, 499, 500, 503] as const;
const nameOf = (no: number): string => `acme:shop:dev:t${no}`;

interface Asked {
  readonly at: number;
  readonly tenant: number | null;
  readonly route: (typeof ROUTES)[number] | null;
  readonly status: number;
  readonly seconds: number;
  readonly byDoor: boolean;
  readonly id: string;
}

/** Requests over many more minutes than are kept, some of them with long pauses between. */
function askedOf(random: Random, times: number, tenants: number): Asked[] {
  let at = random.below(3 * MINUTE_MS);
  return Array.from({ length: times }, (_, i) => {
    at += random.chance(0.01) ? random.below(20 * MINUTE_MS) : random.below(MINUTE_MS / 20);
    return {
      at,
      tenant: random.chance(0.1) ? null : random.below(tenants),
      route: random.chance(0.1) ? null : ROUTES[random.below(12)]!,
      status: random.pick(STATUSES),
      seconds: random.next() ** 3,
      byDoor: random.chance(0.2),
      id: `r${i}`,
    };
  });
}

function tell(load: RecentLoad, { at, tenant, route, status, seconds, byDoor, id }: Asked): void {
  const of = tenant === null ? undefined : { no: tenant, position: { key: nameOf(tenant) } };
  load.count({ visit: { method: 'GET' }, requestId: id, route, tenant: of }, status, seconds, byDoor, at);
}

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS);
const within = (asked: readonly Asked[], now: number, minutes: number): Asked[] =>
  asked.filter(({ at }) => minuteOf(at) > minuteOf(now) - minutes && at <= now);

function figuresOf(asked: readonly Asked[]): LoadFigures {
  const sum = asked.reduce((seconds, one) => seconds + one.seconds, 0);
  return {
    requests: asked.length,
    refused: asked.filter(({ status }) => status >= 400 && status < 500).length,
    failed: asked.filter(({ status }) => status >= 500).length,
    by_door: asked.filter(({ byDoor }) => byDoor).length,
    mean_ms: expect.closeTo(asked.length === 0 ? 0 : (sum / asked.length) * 1000, 2) as number,
  };
}

test.each([1, 2, 3, 4, 5])('sums by tenant, route and status are those of every request (seed %i)', (seed) => {
  const random = new Random(seed);
  const load = new RecentLoad();
  const asked: Asked[] = [];
  for (const one of askedOf(random, 3000, 9)) {
    tell(load, one);
    asked.push(one);
    if (!random.chance(0.02)) continue;
    const now = one.at + (random.chance(0.2) ? random.below(30 * MINUTE_MS) : 0);
    const minutes = 1 + random.below(keptMinutes);
    const seen = load.loads(minutes, limits.nodeView.rowsMax, now);
    const of = within(asked, now, minutes);
    expect(seen.total).toEqual(figuresOf(of));
    for (const { tenant, ...figures } of seen.tenants)
      expect(figures).toEqual(figuresOf(of.filter((a) => a.tenant !== null && nameOf(a.tenant) === tenant)));
    for (const { status, ...figures } of seen.statuses)
      expect(figures).toEqual(figuresOf(of.filter((a) => a.status === status)));
    for (const { service, route, ...figures } of seen.routes)
      expect(figures).toEqual(
        figuresOf(
          of.filter(
            (a) =>
              a.route !== null &&
              a.route.service === service &&
              `${a.route.row.methods.join('|')} ${a.route.row.path}` === route,
          ),
        ),
      );
    const all = (rows: readonly LoadFigures[]): number => rows.reduce((sum, { requests }) => sum + requests, 0);
    expect(all([...seen.tenants, seen.tenants_more])).toBe(of.length);
    expect(all([...seen.routes, seen.routes_more])).toBe(of.length);
    expect(all(seen.statuses)).toBe(of.length);
    const counts = seen.tenants.map(({ requests }) => requests);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  }
});

test('tables are bounded: further rows and tenants are counted together, and idle tenants make room', () => {
  const load = new RecentLoad(3);
  const one = { route: null, status: 200, seconds: 0, byDoor: false, id: 'r' };
  for (let tenant = 0; tenant < 50; tenant++) tell(load, { ...one, at: MINUTE_MS + tenant, tenant });
  expect(load.loads(1, 2, MINUTE_MS + 99)).toMatchObject({
    total: { requests: 50 },
    tenants: [{ tenant: nameOf(0) }, { tenant: nameOf(1) }],
    tenants_more: { requests: 48 },
  });
  const later = (keptMinutes + 2) * MINUTE_MS;
  tell(load, { ...one, at: later, tenant: 49 });
  expect(load.loads(keptMinutes, 9, later).tenants).toMatchObject([{ tenant: nameOf(49), requests: 1 }]);
  expect(load.loads(keptMinutes, 9, later).tenants_more.requests).toBe(0);
});

test.each([1, 2, 3])(
  'the slowest requests of each minute are kept, and no route takes all places (seed %i)',
  (seed) => {
    const random = new Random(seed);
    const load = new RecentLoad();
    const asked = askedOf(random, 4000, 3);
    for (const one of asked) tell(load, one);
    const now = asked.at(-1)!.at;
    const seen = load.slow(keptMinutes, 10_000, now);
    const of = within(asked, now, keptMinutes).filter(({ seconds }) => seconds * 1000 >= slowMsMin);
    const byMinute = Map.groupBy(of, ({ at }) => minuteOf(at));
    const expected = [...byMinute.values()].flatMap((minute) => {
      const byRoute = Map.groupBy(
        minute.toSorted((a, b) => b.seconds - a.seconds),
        ({ route }) => route,
      );
      const best = [...byRoute.values()].flatMap((requests) => requests.slice(0, slowPerRoute));
      return best.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowPerMinute);
    });
    expect(seen.map(({ request_id }) => request_id)).toEqual(
      expected.toSorted((a, b) => b.seconds - a.seconds).map(({ id }) => id),
    );
    expect(load.slow(keptMinutes, 5, now)).toEqual(seen.slice(0, 5));
    expect(seen.length).toBeGreaterThan(slowPerRoute);
  },
);

test('a fast request is not kept', () => {
  const load = new RecentLoad();
  const one = { at: 0, tenant: 1, route: null, status: 200, byDoor: false, id: 'r' };
  tell(load, { ...one, seconds: slowMsMin / 1000 - 1e-6 });
  expect(load.slow(1, 9, 0)).toEqual([]);
  tell(load, { ...one, seconds: slowMsMin / 1000 + 1e-6 });
  expect(load.slow(1, 9, 0)).toHaveLength(1);
});
