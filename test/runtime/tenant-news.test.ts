/** What door and hosts hear of the registry, and in which order. */
import { expect, test } from 'vitest';
import { parsePosition } from '#actors/protocol/position.ts';
import type { TenantChanges, TenantEntry } from '#actors/protocol/topics.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import { Directory } from '#runtime/door/directory.ts';
import { TenantNews } from '#runtime/tenant-news.ts';

const entry = (name: string, no: number, state: TenantEntry['state'] = 'active'): TenantEntry => ({
  no,
  position: parsePosition(`a:b:c:${name}`)!,
  shard: 0,
  state,
  localdir: null,
});

class World {
  readonly registry = new Map<string, TenantEntry>();
  readonly directory = new Directory([]);
  readonly reads: (readonly string[] | null)[] = [];
  /** What the hosts were told: all tenants, or changes. */
  readonly told: (readonly TenantEntry[] | TenantChanges)[] = [];
  failures = 0;
  readonly news = new TenantNews({
    directory: this.directory,
    ringKeys: { withKeys: (ring) => Promise.resolve([...ring]) },
    read: (keys) => {
      this.reads.push(keys);
      const tenants = [...this.registry].filter(([key]) => keys === null || keys.includes(key));
      return Promise.resolve({ tenants: tenants.map(([, tenant]) => tenant), ring: [] });
    },
    hosts: {
      share: (tenants) => this.#tell(tenants),
      change: (changes) => this.#tell(changes),
    },
  });

  #tell(what: readonly TenantEntry[] | TenantChanges): Promise<void> {
    if (this.failures > 0) {
      this.failures--;
      return Promise.reject(new Error('a host did not answer'));
    }
    this.told.push(what);
    return Promise.resolve();
  }

  put(...tenants: readonly TenantEntry[]): void {
    for (const tenant of tenants) this.registry.set(tenant.position.key, tenant);
  }
}

async function opened(...tenants: readonly TenantEntry[]): Promise<World> {
  const world = new World();
  world.put(...tenants);
  await world.news.ofAll();
  expect(world.told.splice(0)).toEqual([[CONTROL_ENTRY, ...tenants]]);
  expect(world.reads.splice(0)).toEqual([null]);
  return world;
}

test('all at first, then only the tenant that has changed', async () => {
  const world = await opened(entry('one', 2), entry('two', 3, 'registered'));
  world.put(entry('two', 3));
  await world.news.of('a:b:c:two');
  expect(world.reads).toEqual([['a:b:c:two']]);
  expect(world.told).toEqual([{ put: [entry('two', 3)], gone: [] }]);
  expect(world.directory.get('a:b:c:two')?.state).toBe('active');
  expect(world.directory.all()).toHaveLength(3);
});

test('a host that hears of one tenant before it heard of all hears of all', async () => {
  const world = new World();
  world.put(entry('one', 2), entry('two', 3));
  await world.news.of('a:b:c:two');
  expect(world.told).toEqual([[CONTROL_ENTRY, entry('one', 2), entry('two', 3)]]);
});

test('a tenant that is deleted, that moved, and that was made anew: its number is gone', async () => {
  const world = await opened(entry('one', 2), entry('two', 3), entry('three', 4));
  world.registry.delete('a:b:c:one');
  world.put(entry('two', 9));
  await Promise.all([world.news.of('a:b:c:one'), world.news.of('a:b:c:two')]);
  expect(world.told).toEqual([{ put: [entry('two', 9)], gone: [2, 3] }]);
  expect(world.directory.get('a:b:c:one')).toBeUndefined();
  expect([2, 3, 4, 9].map((no) => world.directory.byNo(no)?.position.key)).toEqual([
    undefined,
    undefined,
    'a:b:c:three',
    'a:b:c:two',
  ]);
});

test('a tenant that is not there and never was changes nothing', async () => {
  const world = await opened(entry('one', 2));
  await world.news.of('a:b:c:absent');
  expect(world.told).toEqual([{ put: [], gone: [] }]);
});

test('those that come while a telling waits for its turn share the next; all includes each', async () => {
  const world = await opened(entry('one', 2));
  const tellings = ['two', 'three', 'four'].map((name) => world.news.of(`a:b:c:${name}`));
  world.put(entry('two', 3), entry('three', 4), entry('four', 5));
  await Promise.all(tellings);
  expect(world.reads.splice(0)).toEqual([['a:b:c:two', 'a:b:c:three', 'a:b:c:four']]);
  await Promise.all([world.news.of('a:b:c:two'), world.news.ofAll()]);
  expect(world.reads).toEqual([null]);
});

test('changes that a host may have missed are sent again, with all the others', async () => {
  const world = await opened(entry('one', 2));
  world.put(entry('two', 3));
  world.failures = 1;
  await expect(world.news.of('a:b:c:two')).rejects.toThrow('a host did not answer');
  world.put(entry('three', 4));
  await world.news.of('a:b:c:three');
  expect(world.told).toEqual([[CONTROL_ENTRY, entry('one', 2), entry('two', 3), entry('three', 4)]]);
  await world.news.of('a:b:c:three');
  expect(world.told.at(-1)).toEqual({ put: [entry('three', 4)], gone: [] });
});
