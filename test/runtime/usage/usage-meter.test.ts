/** What is counted of a tenant, by day, and what its quota refuses: under a clock that the test moves. Contract: docs/contract/tenants.md §2, §3. */
import { expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { noCounts, type Quota, type UsageRow } from '#actors/protocol/usage.ts';
import { UsageMeter } from '#runtime/usage/usage-meter.ts';
import { fc } from '#test/kit/property.ts';

const DAY = 86_400_000;
const NOON = Date.parse('2026-12-31T12:00:00Z');
const tenant = (name: string, requests?: number) => bounded(name, requests === undefined ? undefined : { requests });
const bounded = (name: string, quota: Quota | undefined) => ({
  localdir: '/p',
  position: parsePosition(`a:b:c:${name}`)!,
  ...(quota === undefined ? {} : { quota }),
});

function world(at = NOON) {
  const clock = new SimulatedClock(at);
  return { clock, meter: new UsageMeter(() => clock.now()) };
}

const key = (name: string) => `a:b:c:${name}`;
const row = (day: string, name: string, requests: number, more: Partial<UsageRow> = {}): UsageRow => ({
  day,
  tenant: key(name),
  ...noCounts(),
  requests,
  rows: 0,
  bytes: 0,
  ...more,
});

test('counts by tenant and day; what was taken is not taken again, and a year’s end is a day’s end', () => {
  const { clock, meter } = world();
  for (let i = 0; i < 3; i++) meter.request(tenant('one'));
  meter.used(key('two'), 'mails');
  expect(meter.take()).toEqual([row('2026-12-31', 'one', 3), row('2026-12-31', 'two', 0, { mails: 1 })]);
  expect(meter.take()).toEqual([]);
  meter.request(tenant('one'));
  clock.advance(DAY / 2);
  meter.used(key('one'), 'webhooks');
  meter.request(tenant('one'));
  expect(meter.take()).toEqual([row('2026-12-31', 'one', 1), row('2027-01-01', 'one', 1, { webhooks: 1 })]);
});

test('planes are not counted', () => {
  const { meter } = world();
  expect(meter.request({ ...tenant('superadmin'), localdir: null })).toBeNull();
  expect(meter.take()).toEqual([]);
});

test('a quota refuses the next request until midnight, and no other tenant', () => {
  const { clock, meter } = world();
  expect([meter.request(tenant('one', 2)), meter.request(tenant('one', 2))]).toEqual([null, null]);
  clock.advance(DAY / 2 - 1500);
  expect(meter.request(tenant('one', 2))).toMatchObject({
    code: 'tenant_quota',
    status: 429,
    details: { quota: 'requests', per: 'day', limit: 2, retry_after_seconds: 2 },
    headers: { 'Retry-After': '2' },
  });
  expect(meter.request(tenant('two', 2))).toBeNull();
  expect(meter.request(tenant('one', 3)), 'a larger quota counts at once').toBeNull();
  clock.advance(1500);
  expect(meter.request(tenant('one', 2)), 'the next day').toBeNull();
  expect(meter.request(tenant('one', 0))).toMatchObject({ code: 'tenant_quota' });
});

test('after a restart the quota knows what was stored of today, and of today alone', () => {
  const { meter } = world();
  meter.load([row('2026-12-30', 'one', 50), row('2026-12-31', 'one', 4)]);
  expect(meter.request(tenant('one', 5))).toBeNull();
  expect(meter.request(tenant('one', 5))).toMatchObject({ code: 'tenant_quota' });
  expect(meter.take(), 'what was stored is not stored again').toEqual([row('2026-12-31', 'one', 1)]);
});

test('property: what is taken is what was let in, whenever it is taken and however days end', () => {
  const act = fc.oneof(
    fc.record({ kind: fc.constant('request' as const), of: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ kind: fc.constant('take' as const) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: DAY }) }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200 }), fc.integer({ min: 0, max: 5 }), (acts, quota) => {
      const { clock, meter } = world();
      const expected = new Map<string, number>();
      const counted = new Map<string, number>();
      const take = (): void => {
        for (const { day, tenant: of, requests } of meter.take())
          counted.set(`${day} ${of}`, (counted.get(`${day} ${of}`) ?? 0) + requests);
      };
      for (const one of acts) {
        if (one.kind === 'take') take();
        else if (one.kind === 'wait') clock.advance(one.ms);
        else {
          const place = `${new Date(clock.now()).toISOString().slice(0, 10)} a:b:c:t${one.of}`;
          // The first of the tenants has a quota: it is let in so often, and no oftener.
          const before = expected.get(place) ?? 0;
          const refused = meter.request(tenant(`t${one.of}`, one.of === 0 ? quota : undefined)) !== null;
          expect(refused).toBe(one.of === 0 && before >= quota);
          if (!refused) expected.set(place, before + 1);
        }
      }
      take();
      expect(counted).toEqual(expected);
    }),
  );
});

test('a quota of a month lasts over midnights, names the month, and begins anew with the next one', () => {
  const { clock, meter } = world(Date.parse('2026-11-29T12:00:00Z'));
  const three = bounded('one', { requests_month: 3 });
  expect([meter.request(three), meter.request(three)]).toEqual([null, null]);
  clock.advance(DAY);
  expect(meter.request(three)).toBeNull();
  expect(meter.request(three)).toMatchObject({
    details: { quota: 'requests', per: 'month', limit: 3, retry_after_seconds: DAY / 2000 },
  });
  clock.advance(DAY / 2);
  expect(meter.request(three), 'December').toBeNull();
});

test('processor time that hosts report refuses at the door, and what is loaded counts', () => {
  const { meter } = world();
  meter.loadMonth([{ month: '2026-12', tenant: key('one'), ...noCounts(), processor_ms: 900 }]);
  const second = bounded('one', { processor_ms_month: 1000 });
  expect(meter.request(second)).toBeNull();
  meter.used(key('one'), 'processor_ms', 100);
  expect(meter.request(second)).toMatchObject({ status: 429, details: { quota: 'processor_ms', per: 'month' } });
  expect(meter.request(tenant('two')), 'a neighbour').toBeNull();
});

test('what is left is the smaller of day and month, and never below nothing', () => {
  const { meter } = world();
  meter.used(key('one'), 'mails', 4);
  expect(meter.left(key('one'), 'mails', undefined)).toBe(Infinity);
  expect(meter.left(key('one'), 'mails', { requests: 1 })).toBe(Infinity);
  expect(meter.left(key('one'), 'mails', { mails: 10, mails_month: 5 })).toBe(1);
  expect(meter.left(key('one'), 'mails', { mails: 3 })).toBe(0);
});

test('rows and bytes: the most of the day is kept, the next day begins with what there is', () => {
  const { clock, meter } = world();
  meter.has(key('one'), { rows: 7, bytes: 70 });
  meter.has(key('one'), { rows: 2, bytes: 20 });
  expect(meter.take()).toEqual([row('2026-12-31', 'one', 0, { rows: 7, bytes: 70 })]);
  meter.has(key('one'), { rows: 5, bytes: 50 });
  expect(meter.take(), 'no more than before').toEqual([]);
  clock.advance(DAY);
  meter.request(tenant('one'));
  expect(meter.take()).toEqual([row('2027-01-01', 'one', 1, { rows: 5, bytes: 50 })]);
});
