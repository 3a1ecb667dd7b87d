/** A standby that follows all shards of a log: what it says of itself, and what keeps it from following. */
import { expect, onTestFinished, test } from 'vitest';
import { shardPath } from '#storage/archive.ts';
import { openEnvironment, type Environment } from '#storage/environment.ts';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import { FollowLog } from '#runtime/cluster/follow-log.ts';
import { durable, openOver, rowsOf, write } from '#test/storage/engine-journals/kit.ts';
import { place } from '#test/storage/place.ts';

const fail = (error: Error): never => {
  throw error;
};

async function followed() {
  const log = new MemoryLog({ shards: 2, random: () => 0 });
  const [here, there] = [place(), place()];
  const archive = await openOver(log.connect(), there);
  const warned: string[] = [];
  const open = (shard: number): Environment | Promise<Environment> => openAt(shard);
  const world = { hasRoom: true, open, log, archive, here, warned };
  const openAt = (shard: number): Environment => openEnvironment(shardPath(here, shard), { onFatal: fail });
  const following = new FollowLog({
    engine: log.connect(),
    open: async (shard) => world.open(shard),
    hasRoom: () => Promise.resolve(world.hasRoom),
    bounds: { gatherMax: 100, putsMax: 10 },
    readBytesMax: 4096,
    everyMs: 5,
    awayMsMax: 20,
    faultMs: 0,
    now: () => performance.now(),
    log: { info: () => undefined, error: () => undefined, warn: (_: object, text: string) => warned.push(text) },
  });
  onTestFinished(async () => {
    await following.stop();
    await archive.close();
  });
  const fill = async (shard: number, count: number): Promise<void> => {
    const store = archive.store(shard, 7);
    for (let n = 0; n < count; n++) await durable(store, write(store, `k${n}`, 'v'.repeat(100)));
  };
  return { world, following, fill, openAt };
}

test('says how far it is behind, follows every shard, and what it took is there when it has stopped', async () => {
  const { world, following, fill } = await followed();
  expect(following.follows).toBeNull();
  await Promise.all([fill(0, 100), fill(1, 30)]);
  following.start();
  // Of each shard the newest entry is not confirmed.
  await expect.poll(() => following.follows).toMatchObject({ behind: 2, ageMs: expect.any(Number) as number });
  await fill(1, 20);
  const since = performance.now();
  // It has looked since then.
  await expect.poll(() => (following.follows?.ageMs ?? Infinity) < performance.now() - since - 1).toBe(true);
  expect(following.follows!.behind).toBe(2);
  const rows = [0, 1].map((shard) => rowsOf(world.archive.store(shard, 7)));
  await following.stop();
  const taken = await openOver(world.log.connect(), world.here);
  expect(taken.stats().replayed).toBe(2);
  expect([0, 1].map((shard) => rowsOf(taken.store(shard, 7)))).toEqual(rows);
  await taken.close();
});

test('a shard that is let go is closed, counts as followed, and is taken up again behind what its host wrote', async () => {
  const { world, following, fill, openAt } = await followed();
  await Promise.all([fill(0, 40), fill(1, 40)]);
  let opened = 0;
  world.open = (shard) => {
    if (shard === 1) opened++;
    return openAt(shard);
  };
  following.start();
  await expect.poll(() => following.follows).toMatchObject({ behind: 2, ageMs: expect.any(Number) as number });
  await following.letGo([1]);
  expect(following.follows!.behind).toBe(1);
  // As its host does.
  await openAt(1).close();
  await Promise.all([fill(0, 20), fill(1, 20)]);
  const since = performance.now();
  await expect.poll(() => (following.follows?.ageMs ?? Infinity) < performance.now() - since - 1).toBe(true);
  expect([following.follows!.behind, opened]).toEqual([1, 1]);
  following.takeUp([1]);
  await expect.poll(() => opened).toBe(2);
  await expect.poll(() => following.follows?.behind).toBe(2);
  const rows = [0, 1].map((shard) => rowsOf(world.archive.store(shard, 7)));
  await following.stop();
  const taken = await openOver(world.log.connect(), world.here);
  expect([0, 1].map((shard) => rowsOf(taken.store(shard, 7)))).toEqual(rows);
  await taken.close();
});

test('letting go waits for what is under way at that shard, and ends its fault', async () => {
  const { world, following, fill, openAt } = await followed();
  await Promise.all([fill(0, 20), fill(1, 20)]);
  const held = Promise.withResolvers<undefined>();
  let asked = 0;
  world.open = async (shard) => {
    if (shard === 1) return Promise.reject(new Error('no copy can be used'));
    asked++;
    await held.promise;
    return openAt(shard);
  };
  following.start();
  await expect.poll(() => asked).toBe(1);
  let isGone = false;
  const gone = following.letGo([0]).then(() => (isGone = true));
  await new Promise(setImmediate);
  expect(isGone).toBe(false);
  held.resolve(undefined);
  await gone;
  await expect.poll(() => following.fault).toBe('no copy can be used');
  await following.letGo([1]);
  await expect.poll(() => following.follows).toMatchObject({ behind: 0 });
  expect([following.fault, asked]).toEqual([null, 1]);
});

test('a shard that fails keeps no other one, and is told once; it goes on when that is over', async () => {
  const { world, following, fill, openAt } = await followed();
  await Promise.all([fill(0, 20), fill(1, 20)]);
  let tries = 0;
  world.open = (shard) => {
    if (shard === 0 && ++tries > 0) throw new Error('no copy can be used');
    return openAt(shard);
  };
  following.start();
  await expect.poll(() => tries).toBeGreaterThan(2);
  expect([following.follows, following.fault, world.warned.length]).toEqual([null, 'no copy can be used', 1]);
  world.open = openAt;
  await expect.poll(() => following.follows?.behind).toBe(2);
  expect(following.fault).toBeNull();
});

test('a full disk and a database that is away are waited for', async () => {
  const { world, following, fill } = await followed();
  await fill(0, 20);
  world.hasRoom = false;
  following.start();
  await expect.poll(() => following.fault).toContain('free_bytes_min');
  world.hasRoom = true;
  await expect.poll(() => following.follows?.ageMs ?? null).not.toBeNull();
  world.log.takeOver();
  await fill(0, 10);
  await expect.poll(() => following.follows?.behind).toBeLessThanOrEqual(2);
});
