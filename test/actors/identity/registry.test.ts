import { expect, test } from 'vitest';
import { Work } from '#actors/host/work.ts';
import { advance, ensureRing, readControl, register } from '#actors/identity/registry.ts';
import { putTenant, retireTenant } from '#actors/identity/store.ts';
import { World } from '#test/kit/identity-call.ts';

const world = (): World => new World({ position: 'superadmin:superadmin:superadmin:superadmin' });

function run<R>(of: World, step: (work: Work) => R): R {
  const work = new Work(of.activation);
  const result = step(work);
  work.commit();
  return result;
}

test('numbers begin at 2, are never given twice, and shards go round', () => {
  const plane = world();
  const entries = ['one', 'two', 'three', 'four'].map((name) =>
    run(plane, (work) => register(work, { key: `a:b:c:${name}`, localdir: '/p', shards: 3 })),
  );
  expect(entries.map(({ no, shard, state }) => [no, shard, state])).toEqual([
    [2, 2, 'registered'],
    [3, 0, 'registered'],
    [4, 1, 'registered'],
    [5, 2, 'registered'],
  ]);
});

test('a registry from before the last number was kept gives none twice: not of a deleted tenant, not of a copy under way', () => {
  const plane = world();
  const at = { shard: 0, state: 'active', localdir: '/p', created_at: '' } as const;
  run(plane, (work) => {
    putTenant(work.turn(), { ...at, key: 'a:b:c:one', no: 5, to: { no: 9, shard: 1 } });
    putTenant(work.turn(), { ...at, key: 'a:b:c:two', no: 11 });
    retireTenant(work.turn(), { ...at, key: 'a:b:c:two', no: 11 });
  });
  const wish = (name: string) => ({ key: `a:b:c:${name}`, localdir: '/p', shards: 3 });
  expect(run(plane, (work) => register(work, wish('three'))).no).toBe(12);
  expect(run(plane, (work) => register(work, wish('four'))).no).toBe(13);
});

test('registering again keeps number, shard and state, whatever the node has now; a moved checkout is noted', () => {
  const plane = world();
  const wish = { key: 'a:b:c:d', localdir: '/p', shards: 4 };
  const first = run(plane, (work) => register(work, wish));
  run(plane, (work) => advance(work, { key: wish.key, state: 'active' }));
  expect(run(plane, (work) => register(work, { ...wish, shards: 7 }))).toEqual({ ...first, state: 'active' });
  expect(run(plane, (work) => register(work, { ...wish, localdir: '/q' }))).toMatchObject({ localdir: '/q' });
  expect(run(plane, readControl).tenants).toEqual([{ ...first, state: 'active', localdir: '/q' }]);
});

test('reads the tenants that are asked for, or all', () => {
  const plane = world();
  for (const name of ['one', 'two', 'three'])
    run(plane, (work) => register(work, { key: `a:b:c:${name}`, localdir: '/p', shards: 3 }));
  const named = (keys: readonly string[] | null) =>
    run(plane, (work) => readControl(work, keys)).tenants.map(({ position }) => position.tenant);
  expect(named(['a:b:c:two', 'a:b:c:absent'])).toEqual(['two']);
  expect(named([])).toEqual([]);
  expect(named(null).sort()).toEqual(['one', 'three', 'two']);
});

test('a tenant moves on, never back, and only when it is there', () => {
  const plane = world();
  const key = 'a:b:c:d';
  run(plane, (work) => register(work, { key, localdir: '/p', shards: 4 }));
  expect(run(plane, (work) => advance(work, { key, state: 'seeded' })).state).toBe('seeded');
  expect(run(plane, (work) => advance(work, { key, state: 'seeded' })).state).toBe('seeded');
  expect(() => run(plane, (work) => advance(work, { key, state: 'registered' }))).toThrow('cannot go back');
  expect(() => run(plane, (work) => advance(work, { key: 'a:b:c:e', state: 'active' }))).toThrow('no tenant');
});

test('the ring gets its first key once', () => {
  const plane = world();
  expect(run(plane, readControl).ring).toEqual([]);
  run(plane, ensureRing);
  const { ring } = run(plane, readControl);
  expect(ring).toHaveLength(1);
  run(plane, ensureRing);
  expect(run(plane, readControl).ring).toEqual(ring);
});
