/** The metrics of quotas: bounded in number, the nearest first. Spec: docs/operate/metrics.md. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { Quota } from '#actors/protocol/usage.ts';
import { usageFamilies } from '#runtime/usage/usage-families.ts';
import { UsageMeter } from '#runtime/usage/usage-meter.ts';

const entry = (no: number, quota?: Quota): TenantEntry => ({
  no,
  position: parsePosition(`a:b:c:t${no}`)!,
  shard: 0,
  state: 'active',
  localdir: '/p',
  ...(quota === undefined ? {} : { quota }),
});

test('a sample for each quota, the nearest first; a quota of nothing is used up', () => {
  const meter = new UsageMeter(() => Date.parse('2026-11-25T10:00:00Z'));
  meter.used('a:b:c:t1', 'mails', 5);
  meter.has('a:b:c:t1', { rows: 9, bytes: 90 });
  const tenants = [entry(1, { mails: 50, rows: 10, requests_month: 100 }), entry(2), entry(3, { requests: 0 })];
  const [ratio, spent] = usageFamilies(meter, tenants);
  expect(ratio!.samples.map(({ labels, value }) => [labels['tenant'], labels['quota'], value])).toEqual([
    ['a:b:c:t3', 'requests', 1],
    ['a:b:c:t1', 'rows', 0.9],
    ['a:b:c:t1', 'mails', 0.1],
    ['a:b:c:t1', 'requests_month', 0],
  ]);
  expect(spent!.samples[0]!.value).toBe(1);
});

test('ten thousand tenants with quotas show no more series than the bound', () => {
  const meter = new UsageMeter(() => 0);
  const many = Array.from({ length: 10_000 }, (_, no) => entry(no, { requests: 5 }));
  const [ratio, spent] = usageFamilies(meter, many);
  expect([ratio!.samples.length, spent!.samples.length]).toEqual([limits.usage.seriesMax, 1]);
});
