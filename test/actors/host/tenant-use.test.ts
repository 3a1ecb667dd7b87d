/** What a tenant uses on its host, and what its quotas refuse there. Contract: docs/contract/tenants.md §3. */
import { expect, test } from 'vitest';
import { TenantFull, TenantUse } from '#actors/host/tenant-use.ts';
import { TenantUses } from '#runtime/threads/tenant-uses.ts';
import { fc } from '#test/kit/property.ts';

test('parts of a millisecond are not lost, and what was taken is not taken again', () => {
  const use = new TenantUse();
  for (let i = 0; i < 5; i++) use.worked(0.3);
  expect(use.take(1)).toEqual({ tenantNo: 1, processorMs: 1, outsideCalls: 0, kept: null, fileBytes: null });
  expect(use.take(1)).toBeNull();
  use.worked(0.5);
  expect(use.take(1)?.processorMs).toBe(1);
});

test('only growth beyond the quota is refused', () => {
  const use = new TenantUse();
  use.counted(5, 100);
  use.bound({ rows: 5, bytes: 110 });
  expect(() => use.admit(1, 0)).toThrow(TenantFull);
  expect(() => use.admit(0, 11)).toThrow('the quota of 110 bytes');
  use.admit(0, 10);
  use.admit(-1, -200);
  use.bound({ rows: 2 });
  use.admit(0, 1000);
  use.admit(-1, 0);
  expect(() => use.admit(1, 0), 'a quota below what there is').toThrow(TenantFull);
  use.bound(undefined);
  use.admit(1000, 1000);
});

test('property: however reports and allowances interleave, no more calls are made than the quota, and none is refused before', () => {
  const act = fc.constantFrom('call', 'take', 'allow');
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200 }), fc.integer({ min: 0, max: 20 }), (acts, quota) => {
      const uses = new TenantUses();
      const use = uses.of({ no: 7 });
      uses.allow([{ tenantNo: 7, left: quota }]);
      let made = 0;
      let reported = 0;
      for (const one of acts) {
        if (one === 'call') {
          const isLet = use.callsOutside();
          expect(isLet).toBe(made < quota);
          if (isLet) made++;
        } else if (one === 'take') reported += uses.take()[0]?.outsideCalls ?? 0;
        else uses.allow([{ tenantNo: 7, left: Math.max(0, quota - reported) }]);
      }
      reported += uses.take()[0]?.outsideCalls ?? 0;
      expect(reported).toBe(made);
    }),
  );
});

test('a tenant that is not among those allowed is not bounded any more', () => {
  const uses = new TenantUses();
  uses.allow([{ tenantNo: 7, left: 0 }]);
  expect(uses.of({ no: 7 }).callsOutside()).toBe(false);
  uses.allow([]);
  expect(uses.of({ no: 7 }).callsOutside()).toBe(true);
  uses.forget(7);
  expect(uses.take()).toEqual([]);
});
