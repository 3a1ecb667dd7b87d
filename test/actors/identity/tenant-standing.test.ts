/** Standing and quota in the registry. Contract: docs/contract/tenants.md §1.1, §3. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { advance, readControl, register } from '#actors/identity/registry.ts';
import { tenantLifeAsks } from '#actors/identity/tenant-life.ts';
import { setQuota } from '#actors/identity/tenant-quota.ts';
import { setStanding } from '#actors/identity/tenant-standing.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { World } from '#test/kit/identity-call.ts';

const KEY = 'a:b:c:one';

function plane() {
  const world = new World({ position: 'superadmin:superadmin:superadmin:superadmin' });
  const run = <R>(step: (work: Work) => R): R => {
    const work = new Work(world.activation);
    const result = step(work);
    work.commit();
    return result;
  };
  run((work) => register(work, { key: KEY, localdir: '/p', shards: 2 }));
  run((work) => advance(work, { key: KEY, state: 'active' }));
  const entry = (): TenantEntry => run((work) => readControl(work, [KEY])).tenants[0]!;
  return { world, run, entry };
}

test('the time since when stays while the standing does, the reason is the last one; resumed, nothing is left of it', () => {
  const { world, run, entry } = plane();
  const before = entry();
  const set = (standing: 'suspended' | 'read-only' | null, reason: string | null) =>
    run((work) => setStanding(work, { key: KEY, standing, reason }));
  const first = set('suspended', 'billing');
  expect(first).toEqual({ ...before, standing: 'suspended', reason: 'billing', standing_since: expect.any(String) });
  world.clock.advance(60_000);
  expect(set('suspended', null)).toEqual({ ...before, standing: 'suspended', standing_since: first.standing_since });
  expect(set('read-only', 'plan').standing_since).not.toBe(first.standing_since);
  expect(entry()).toMatchObject({ standing: 'read-only', reason: 'plan' });
  set(null, null);
  expect(entry()).toEqual(before);
});

test('a move carries standing and quota along', () => {
  const { run, entry } = plane();
  run((work) => setStanding(work, { key: KEY, standing: 'suspended', reason: null }));
  run((work) => setQuota(work, { key: KEY, set: { requests: 7, bytes: 9 } }));
  const { shard } = entry();
  run((work) => tenantLifeAsks['move.begin'](work, { key: KEY, shard: 1 - shard }));
  expect(entry()).toMatchObject({ state: 'moving', standing: 'suspended', quota: { requests: 7, bytes: 9 } });
  run((work) => tenantLifeAsks['move.turn'](work, { key: KEY }));
  expect(entry()).toMatchObject({
    state: 'active',
    shard: 1 - shard,
    standing: 'suspended',
    quota: { requests: 7, bytes: 9 },
  });
  run((work) => setQuota(work, { key: KEY, set: { requests: null } }));
  expect(entry().quota, 'others stay').toEqual({ bytes: 9 });
  run((work) => setQuota(work, { key: KEY, set: { bytes: null } }));
  expect(entry().quota).toBeUndefined();
});

test('unknown tenants, planes, tenants that are being deleted and malformed wishes are refused in words', () => {
  const { run } = plane();
  const stand =
    (key: string, reason: string | null = null) =>
    () =>
      run((work) => setStanding(work, { key, standing: 'suspended', reason }));
  const quota = (key: string, requests: number) => () => run((work) => setQuota(work, { key, set: { requests } }));
  run((work) => register(work, { key: 'a:b:c:superadmin', localdir: null, shards: 2 }));
  for (const act of [stand('a:b:c:absent'), quota('a:b:c:absent', 1)]) expect(act).toThrow('no tenant a:b:c:absent');
  for (const act of [stand('a:b:c:superadmin'), quota('a:b:c:superadmin', 1)]) expect(act).toThrow('is a plane');
  for (const reason of ['', 'two\nlines', '\u001b[2J', 'x'.repeat(limits.identity.reasonCharsMax + 1)])
    expect(stand(KEY, reason)).toThrow('one line of at most');
  for (const requests of [-1, 0.5, NaN]) expect(quota(KEY, requests)).toThrow('a whole number');
  const unknown = { key: KEY, set: { requests: 1, honey: 3 } };
  expect(() => run((work) => setQuota(work, unknown))).toThrow('there is no quota honey: requests, requests_month');
  run((work) => tenantLifeAsks['delete.begin'](work, { key: KEY }));
  expect(stand(KEY)).toThrow('is being deleted');
});
