import { expect, test } from 'vitest';
import { expose } from '#runtime/observe/exposition.ts';
import { TenantMeter } from '#runtime/observe/tenant-meter.ts';

const tenant = (no: number) => ({ no, position: { key: `acme:shop:dev:t${no}` } });
const shown = (meter: TenantMeter): string[] => expose(meter.families()).split('\n');

test('answers are counted by tenant and class of status, and their times cumulated', () => {
  const meter = new TenantMeter(2, () => true);
  for (const [status, seconds] of [
    [200, 0.0005],
    [204, 0.02],
    [503, 9],
  ] as const)
    meter.count(tenant(1), status, seconds);
  const lines = shown(meter);
  expect(lines).toContain('skep_tenant_requests_total{tenant="acme:shop:dev:t1",status="2xx"} 2');
  expect(lines).toContain('skep_tenant_requests_total{tenant="acme:shop:dev:t1",status="5xx"} 1');
  expect(lines).toContain('skep_tenant_request_seconds_bucket{tenant="acme:shop:dev:t1",le="0.001"} 1');
  expect(lines).toContain('skep_tenant_request_seconds_bucket{tenant="acme:shop:dev:t1",le="2.5"} 2');
  expect(lines).toContain('skep_tenant_request_seconds_count{tenant="acme:shop:dev:t1"} 3');
});

test('tenants beyond the first few are counted together, and a tenant that is gone makes room', () => {
  const there = new Set([1, 2, 3]);
  const meter = new TenantMeter(2, (no) => there.has(no));
  for (const no of [1, 2, 3, 3]) meter.count(tenant(no), 200, 0.001);
  expect(shown(meter)).toContain('skep_tenant_requests_total{tenant="others",status="2xx"} 2');
  expect(shown(meter).some((line) => line.includes(':t3'))).toBe(false);
  there.delete(1);
  expect(shown(meter).some((line) => line.includes(':t1'))).toBe(false);
  meter.count(tenant(3), 200, 0.001);
  expect(shown(meter)).toContain('skep_tenant_requests_total{tenant="acme:shop:dev:t3",status="2xx"} 1');
});
