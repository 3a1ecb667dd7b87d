/** Routes of tenants that the door refuses for a while. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { EVERY_ROUTE, Suspensions } from '#runtime/door/suspensions.ts';

const { strikeEntriesMax, strikeWindowMs, refuseMsMax } = limits.watchdog;
const FOR_MS = 60_000;

class Bench {
  readonly clock = new SimulatedClock();
  readonly told: string[] = [];
  readonly it: Suspensions;

  constructor(refuseForMs = FOR_MS) {
    this.it = new Suspensions({
      monotonic: () => this.clock.fine(),
      refuseForMs,
      began: (name, ms) => void this.told.push(`${name} for ${ms}`),
      ended: (name) => void this.told.push(`${name} is over`),
    });
  }

  statusOf(tenantNo: number, routeNo: number): number {
    return this.it.refusal(tenantNo, routeNo)?.status ?? 200;
  }
}

test('the second time refuses that route of that tenant, and only that, until the time is over', () => {
  const bench = new Bench();
  bench.it.strike(7, 3, 'a');
  expect([bench.it.active, bench.statusOf(7, 3)]).toEqual([0, 200]);
  bench.clock.advance(1000);
  bench.it.strike(7, 3, 'a');
  expect(bench.it.active).toBe(1);
  const refusal = bench.it.refusal(7, 3)!;
  expect([refusal.status, refusal.code, refusal.headers]).toEqual([503, 'suspended', { 'Retry-After': '60' }]);
  for (const [tenantNo, routeNo] of [
    [7, 2],
    [7, 4],
    [8, 3],
    [0, 3],
    [-1, 3],
  ] as const)
    // prettier-ignore
    expect(bench.statusOf(tenantNo, routeNo)).toBe(200);
  bench.clock.advance(FOR_MS - 1);
  bench.it.sweep();
  expect(bench.it.refusal(7, 3)!.headers).toEqual({ 'Retry-After': '1' });
  bench.clock.advance(1);
  expect(bench.statusOf(7, 3)).toBe(200);
  bench.it.sweep();
  expect([bench.it.active, bench.it.refused, bench.told]).toEqual([0, 2, [`a for ${FOR_MS}`, 'a is over']]);
});

test('each further time is twice as long, up to a day; strikes that lie far apart do not count together', () => {
  const bench = new Bench();
  for (let time = 0; time < 15; time++) {
    bench.it.strike(7, 3, 'a');
    bench.clock.advance(FOR_MS);
  }
  const begun = bench.told.filter((line) => line.includes(' for '));
  expect(begun.slice(0, 3)).toEqual([60_000, 120_000, 240_000].map((ms) => `a for ${ms}`));
  expect(begun.at(-1)).toBe(`a for ${refuseMsMax}`);
  const other = new Bench();
  other.it.strike(7, 3, 'a');
  other.clock.advance(strikeWindowMs);
  other.it.strike(7, 3, 'a');
  expect(other.it.active).toBe(0);
});

test('a tenant whose waking costs the thread is refused whole', () => {
  const bench = new Bench();
  bench.it.strike(7, EVERY_ROUTE, 'a');
  bench.it.strike(7, EVERY_ROUTE, 'a');
  expect([bench.statusOf(7, 0), bench.statusOf(7, 99), bench.statusOf(6, 99), bench.statusOf(8, 0)]).toEqual([
    503, 503, 200, 200,
  ]);
});

test('an operator lifts all at once, and the next strike refuses again', () => {
  const bench = new Bench();
  for (let i = 0; i < 2; i++) bench.it.strike(7, 3, 'a');
  expect([bench.it.lift(), bench.it.active, bench.statusOf(7, 3), bench.it.lift()]).toEqual([1, 0, 200, 0]);
  bench.it.strike(7, 3, 'a');
  expect(bench.statusOf(7, 3)).toBe(503);
});

test('so many are remembered; the oldest goes, and what it refused is let in', () => {
  const bench = new Bench();
  for (let i = 0; i < 2; i++) bench.it.strike(1, 3, 'first');
  for (let i = 0; i < strikeEntriesMax; i++) bench.it.strike(100 + i, 3, `t${i}`);
  expect([bench.it.active, bench.statusOf(1, 3), bench.told]).toEqual([
    0,
    200,
    [`first for ${FOR_MS}`, 'first is over'],
  ]);
});
