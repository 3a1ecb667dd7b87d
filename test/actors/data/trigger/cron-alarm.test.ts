/** The alarm of a thread's cron triggers, by a clock and timers that are moved by hand. */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { CronAlarm } from '#actors/data/trigger/cron-alarm.ts';

const { alarmLookMs, alarmTenantsMax, alarmRestMs, alarmAgainMs, setBackMs } = limits.triggers;
let clock: SimulatedClock;
let timers: { readonly atMs: number; readonly run: () => void }[];
let rung: number[];
let served: (tenantNo: number) => boolean;
let begin: (seenMs: number) => CronAlarm;
let alarm: CronAlarm;

beforeEach(() => {
  clock = new SimulatedClock();
  timers = [];
  rung = [];
  served = () => true;
  const after = (ms: number, run: () => void): void => void timers.push({ atMs: clock.now() + ms, run });
  const ring = (tenantNo: number): boolean => {
    rung.push(tenantNo);
    return served(tenantNo);
  };
  begin = (seenMs) => new CronAlarm({ clock, seenMs: () => seenMs, after, ring });
  alarm = begin(0);
});

/** Lets time pass, with every timer at its instant. */
function pass(ms: number): void {
  const end = clock.now() + ms;
  for (;;) {
    const next = timers.toSorted((a, b) => a.atMs - b.atMs)[0];
    if (next === undefined || next.atMs > end) break;
    timers.splice(timers.indexOf(next), 1);
    clock.set(Math.max(next.atMs, clock.now()));
    next.run();
  }
  clock.set(end);
}
const inMs = (ms: number): number => clock.now() + ms;

test('each tenant is rung at its instant, not before', () => {
  alarm.set(1, inMs(5000));
  alarm.set(2, inMs(1000));
  pass(999);
  expect(rung).toEqual([]);
  pass(1);
  expect(rung).toEqual([2]);
  alarm.set(2, null);
  pass(4000);
  expect(rung).toEqual([2, 1]);
});

test('one that has said nothing is rung again; one that looked is rung at its new instant; one that is not served here never again', () => {
  alarm.set(1, inMs(0));
  alarm.set(2, inMs(0));
  alarm.set(3, inMs(0));
  served = (tenantNo) => tenantNo !== 3;
  pass(0);
  expect(rung).toEqual([1, 2, 3]);
  alarm.set(2, inMs(3 * alarmAgainMs));
  rung.length = 0;
  pass(2 * alarmAgainMs);
  expect(rung).toEqual([1, 1]);
  pass(alarmAgainMs);
  expect(rung.toSorted((a, b) => a - b)).toEqual([1, 1, 1, 2]);
});

test('tenants that are due together are rung a few at a time, all of them', () => {
  const tenants = Array.from({ length: 2 * alarmTenantsMax + 3 }, (_, at) => at + 1);
  for (const tenantNo of tenants) alarm.set(tenantNo, inMs(10));
  pass(10);
  expect(rung).toHaveLength(alarmTenantsMax);
  pass(alarmRestMs);
  expect(rung).toHaveLength(2 * alarmTenantsMax);
  pass(alarmRestMs);
  expect(rung).toEqual(tenants);
});

test('a clock that is set ahead is noticed, and no timer is longer than a look', () => {
  alarm.set(1, inMs(30 * 86_400_000));
  expect(timers.map(({ atMs }) => atMs - clock.now())).toEqual([alarmLookMs]);
  clock.advance(30 * 86_400_000);
  timers.shift()!.run();
  expect(rung).toEqual([1]);
});

test('ten thousand instants are one timer that counts', () => {
  for (let tenantNo = 1; tenantNo <= 10_000; tenantNo++) alarm.set(tenantNo, inMs(86_400_000 + tenantNo));
  expect(timers).toHaveLength(1);
});

test('a clock that is set back far has each tenant look anew; one that is set back a little has none', () => {
  const year = 365 * 86_400_000;
  alarm.set(1, inMs(60_000));
  alarm.set(2, inMs(2 * alarmLookMs));
  pass(alarmLookMs);
  clock.advance(-setBackMs);
  timers.shift()!.run();
  expect(rung).toEqual([]);
  clock.advance(setBackMs + year);
  timers.shift()!.run();
  expect(rung.splice(0)).toEqual([1, 2]);
  alarm.set(1, inMs(60_000));
  alarm.set(2, inMs(120_000));
  clock.advance(-year);
  timers.splice(0).at(-1)!.run();
  expect(rung.splice(0)).toEqual([1, 2]);
});

test('so has one that was set back while the node was not there', () => {
  for (const [behindMs, all] of [
    [setBackMs, []],
    [setBackMs + 1, [1, 2]],
  ] as const) {
    alarm = begin(clock.now() + behindMs + alarmLookMs);
    alarm.set(1, inMs(behindMs + 60_000));
    alarm.set(2, inMs(behindMs + 120_000));
    pass(alarmLookMs);
    expect(rung.splice(0)).toEqual(all);
  }
});
