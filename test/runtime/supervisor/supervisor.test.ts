/** The supervisor over threads that are channels in this one (ARCHITECTURE.md, "Threads"; docs/contract/common.md §8.3). */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parsePosition } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import { CHILDREN } from '#runtime/supervisor/children.ts';
import { Bench, NONE, removeDirs } from './bench.ts';

afterEach(removeDirs);

const TENANT: TenantEntry = { ...CONTROL_ENTRY, no: 2, shard: 1, position: parsePosition('a:b:c:d')! };

test('starts every thread, shares the shards out, and is ready when all serve', async () => {
  const bench = new Bench(2);
  await bench.supervisor.start();
  expect(bench.supervisor.isServing(NONE)).toBe(true);
  expect(bench.threads.map((thread) => thread.row.name).sort()).toEqual(
    ['rate-keeper', 'tenant-host', 'tenant-host', 'intake-writer'].sort(),
  );
  const shards = [0, 1].map((host) => bench.serving(host).opened[0]!.shards);
  expect(shards.flat().sort((a, b) => a - b)).toEqual(
    Array.from({ length: bench.supervisor.shardCount }, (_, no) => no),
  );
  expect(bench.supervisor.hostDesk(0)).not.toBe(bench.supervisor.hostDesk(1));
});

test.each([
  ['audit', ['audit-sealer']],
  ['vault', ['vault-keeper']],
  ['intake', ['rate-keeper', 'intake-writer']],
])('%s alone has no thread but its own', async (service, names) => {
  const bench = new Bench(
    0,
    {},
    {
      service,
      audit: { enabled: service === 'audit' },
      vault: { enabled: service === 'vault' },
    },
  );
  await bench.supervisor.start();
  expect(bench.supervisor.isServing(NONE)).toBe(true);
  expect(bench.threads.map((thread) => thread.row.name)).toEqual(names);
  await bench.supervisor.stop();
});

test('rooms are there before their thread is asked anything, when it opens, and before it drains', async () => {
  const bench = new Bench(0, {}, { service: 'audit', audit: { enabled: true } });
  await bench.supervisor.start();
  expect(bench.rooms.splice(0)).toEqual(['audit-sealer attached', 'audit-sealer opened']);
  expect(bench.supervisor.channel('audit-sealer')).toBe(bench.newest('audit-sealer').channel);
  expect(bench.supervisor.channel('vault-keeper')).toBeUndefined();
  bench.newest('audit-sealer').die('a drill');
  await expect.poll(() => bench.reported, { interval: 1 }).toEqual(['thread audit-sealer']);
  await bench.untilReady();
  expect(bench.supervisor.channel('audit-sealer')).toBe(bench.newest('audit-sealer').channel);
  await bench.supervisor.stop();
  expect(bench.rooms).toEqual(['audit-sealer attached', 'audit-sealer opened', 'audit-sealer draining']);
});

test('a thread that others need something of starts ahead of them, and once', async () => {
  const bench = new Bench(1, {}, { vault: { enabled: true } });
  await bench.supervisor.startAhead('vault-keeper');
  expect(bench.threads.map((thread) => thread.row.name)).toEqual(['vault-keeper']);
  await bench.supervisor.start();
  expect(bench.threads.filter((thread) => thread.row.name === 'vault-keeper')).toHaveLength(1);
});

test.each([
  ['without mail there is no courier', {}, CHILDREN.filter(({ needs }) => needs === null)],
  ['with mail there is one', { mail: {} }, CHILDREN.filter(({ needs }) => needs === null || needs === 'post')],
])('stops in the reverse order of the list; %s', async (_name, identity, children) => {
  const bench = new Bench(1, identity);
  await bench.supervisor.start();
  await bench.supervisor.stop();
  const drained = bench.told.filter((line) => line.startsWith('drain')).map((line) => line.slice(6));
  expect(drained).toEqual(children.map((row) => row.name).toReversed());
  expect(bench.lost).toEqual([]);
});

test('a spare is ended when it has drained: one that is loading an addon would take the process along', async () => {
  const bench = new Bench(1);
  await bench.supervisor.start();
  bench.supervisor.warmSpare();
  const spare = bench.newest('tenant-host');
  const drained = Promise.withResolvers<void>();
  spare.draining = drained.promise;
  const stopping = bench.supervisor.stop();
  await expect.poll(() => bench.serving(0).isKilled, { interval: 1 }).toBe(true);
  expect(spare.isKilled).toBe(false);
  drained.resolve();
  await stopping;
  expect(spare.isKilled).toBe(true);
});

const CHECKOUTS = { hives: { tenant: ['./a', './a', './b'].map((localdir) => ({ meta: { localdir } })) } };

test('a node that waits starts each thread and opens none; when its turn comes those threads are opened', async () => {
  const bench = new Bench(2, {}, CHECKOUTS);
  bench.supervisor.park(null);
  bench.supervisor.park(null);
  await expect.poll(() => bench.supervisor.isParked, { interval: 1 }).toBe(true);
  const waiting = [...bench.threads];
  expect(waiting.map(({ row }) => row.name)).toEqual(['rate-keeper', 'tenant-host', 'tenant-host', 'intake-writer']);
  expect(bench.newest('tenant-host').awaited).toEqual(['./a', './b']);
  expect([bench.told, bench.supervisor.isServing(NONE)]).toEqual([[], true]);
  await bench.supervisor.start();
  expect(bench.threads).toEqual(waiting);
  expect(bench.told.toSorted()).toEqual(['open intake-writer', 'open tenant-host 0', 'open tenant-host 1']);
  expect(bench.supervisor.isParked).toBe(false);
});

test('a waiting thread that dies is started again and named meanwhile; one that is away when its turn comes is started in the ordinary way', async () => {
  const bench = new Bench(1);
  bench.supervisor.park(null);
  const first = bench.newest('tenant-host');
  await expect.poll(() => bench.supervisor.isParked, { interval: 1 }).toBe(true);
  first.die('a drill');
  await expect.poll(() => bench.reported, { interval: 1 }).toEqual(['thread waiting host-0']);
  expect(bench.reasons[0]).toContain('it has ended (a drill); this standby takes longer to serve');
  const second = bench.newest('tenant-host');
  expect(second).not.toBe(first);
  await expect.poll(() => bench.degraded.size, { interval: 1 }).toBe(0);
  second.die('another one');
  await expect.poll(() => bench.degraded.size, { interval: 1 }).toBe(1);
  expect(bench.newest('tenant-host')).toBe(second);
  await bench.supervisor.start();
  expect([bench.serving(0) === second, bench.restarts, bench.gaveUp]).toEqual([false, 0, []]);
  expect(bench.degraded.size).toBe(0);
});

test('a start that fails ends the threads that wait', async () => {
  const bench = new Bench(1);
  bench.supervisor.park(['vault-keeper', 'tenant-host']);
  expect(bench.threads.map(({ row }) => row.name)).toEqual(['tenant-host']);
  await bench.supervisor.abort();
  expect(bench.threads.map(({ isKilled }) => isKilled)).toEqual([true]);
});

test('a thread that is ended ahead of the others is drained once, and not started again', async () => {
  const bench = new Bench(1, { mail: {} });
  await bench.supervisor.start();
  await bench.supervisor.stopAhead('courier');
  await bench.supervisor.stopAhead('vault-keeper');
  expect([bench.told.at(-1), bench.newest('courier').isKilled, bench.restarts]).toEqual(['drain courier', true, 0]);
  await bench.supervisor.stop();
  expect(bench.told.filter((line) => line === 'drain courier')).toHaveLength(1);
});

test("a dead host's place goes to the spare, which replays its journal and knows the tenants; another spare warms", async () => {
  const bench = new Bench(2);
  await bench.supervisor.start();
  bench.supervisor.warmSpare();
  const spare = bench.newest('tenant-host');
  await bench.hosts.share([CONTROL_ENTRY], []);
  await bench.hosts.change({ put: [TENANT, { ...TENANT, no: 3 }], gone: [] }, []);
  await bench.hosts.change({ put: [], gone: [3] }, []);
  const dead = bench.serving(0);
  dead.die('a drill');
  await bench.untilReady();
  expect(bench.lost).toEqual(['host-0']);
  expect(bench.serving(0)).toBe(spare);
  expect(spare.opened[0]!.replay).toHaveLength(1);
  expect(spare.opened[0]!.epoch).toBeGreaterThan(dead.opened[0]!.epoch);
  expect(spare.opened[0]!.tenants).toEqual([CONTROL_ENTRY, TENANT]);
  await expect.poll(() => bench.newest('tenant-host').opened.length, { interval: 1 }).toBe(0);
  expect(bench.restarts).toBe(1);
});

test('a host that is away is named, and only when no host is left can no caller be served', async () => {
  const bench = new Bench(2);
  await bench.supervisor.start();
  expect([bench.supervisor.isServing(NONE), [...bench.degraded]]).toEqual([true, []]);
  const opening = Promise.withResolvers<void>();
  const ends = async (host: number): Promise<void> => {
    bench.supervisor.warmSpare();
    bench.newest('tenant-host').opening = opening.promise;
    bench.serving(host).die('out of memory\n at a line of ours');
    await expect.poll(() => bench.degraded.get(`host host-${host}`), { interval: 1 }).toBeDefined();
  };
  await ends(0);
  expect(bench.degraded.get('host host-0')).toContain('its thread has ended (out of memory); its callers get 503');
  expect([bench.supervisor.isServing(NONE), bench.degraded.size]).toEqual([true, 1]);
  await ends(1);
  expect([bench.supervisor.isServing(NONE), bench.degraded.size]).toEqual([false, 2]);
  opening.resolve();
  await bench.untilReady();
  bench.newest('intake-writer').die('of itself');
  await expect.poll(() => bench.reported.at(-1), { interval: 1 }).toBe('thread intake-writer');
  await bench.untilReady();
});

test('a host that stands still is ended and replaced, and that costs nothing of the restart budget', async () => {
  const bench = new Bench(2);
  await bench.supervisor.start();
  const { max } = CHILDREN.find((row) => row.name === 'tenant-host')!.restarts;
  for (let time = 0; time < 2 * max; time++) {
    bench.supervisor.warmSpare();
    const stuck = bench.serving(0);
    bench.supervisor.replaceHost('host-0', 'it stood still for 10 s in GET /x of acme');
    expect(stuck.isKilled).toBe(true);
    await expect.poll(() => bench.reported.length, { interval: 1 }).toBe(time + 1);
    await bench.untilReady();
    expect(bench.serving(0)).not.toBe(stuck);
  }
  expect(bench.reasons.at(-1)).toContain('it stood still for 10 s in GET /x of acme');
  expect([bench.gaveUp, bench.restarts]).toEqual([[], 2 * max]);
  bench.supervisor.replaceHost('host-9', 'there is none');
});

test('what is watched serves; no caller is served where every host stands still', async () => {
  const bench = new Bench(2);
  await bench.supervisor.start();
  const seen = [...bench.supervisor.watched()].map(({ name, isHost }) => `${name} ${isHost}`);
  expect(seen.sort()).toEqual(['host-0 true', 'host-1 true', 'intake-writer false', 'rate-keeper false']);
  expect(bench.supervisor.isServing(new Set(['host-0', 'intake-writer']))).toBe(true);
  expect(bench.supervisor.isServing(new Set(['host-0', 'host-1']))).toBe(false);
  bench.supervisor.hostDesk(0).outbox = null;
  expect([...bench.supervisor.watched()].map(({ name }) => name)).not.toContain('host-0');
});

test('a service that runs alone cannot serve without its thread', async () => {
  const bench = new Bench(0, {}, { service: 'vault', vault: { enabled: true } });
  await bench.supervisor.start();
  bench.supervisor.desk('vault-keeper').outbox = null;
  expect(bench.supervisor.isServing(NONE)).toBe(false);
  bench.newest('vault-keeper').die('a drill');
  await expect.poll(() => bench.reported, { interval: 1 }).toEqual(['thread vault-keeper']);
  await bench.untilReady();
});

test('what is shared while a host is replaced reaches the one that takes its place', async () => {
  const bench = new Bench(1);
  await bench.supervisor.start();
  bench.supervisor.warmSpare();
  const spare = bench.newest('tenant-host');
  let open = (): void => undefined;
  spare.opening = new Promise((resolve) => (open = resolve));
  bench.serving(0).die('a drill');
  await expect.poll(() => spare.opened.length, { interval: 1 }).toBe(1);
  await bench.hosts.share([CONTROL_ENTRY], []);
  await bench.hosts.change({ put: [TENANT], gone: [] }, []);
  expect(spare.tenants).toEqual([]);
  open();
  await bench.untilReady();
  expect(spare.tenants).toEqual([CONTROL_ENTRY, TENANT]);
});

test('a change reaches every host and the spare; the ring goes with it only when it has other keys', async () => {
  const bench = new Bench(2);
  await bench.supervisor.start();
  bench.supervisor.warmSpare();
  await bench.hosts.share([CONTROL_ENTRY], []);
  const key = { kid: 'k4.pid.one', issuer: 'iam', private_pem: '', created_at: '' };
  const hosts = [0, 1].map((no) => bench.serving(no));
  const before = hosts.map(({ rings }) => rings);
  await bench.hosts.change({ put: [TENANT], gone: [] }, [key]);
  await bench.hosts.change({ put: [{ ...TENANT, state: 'deleting' }], gone: [] }, [{ ...key }]);
  expect(hosts.map(({ rings }, no) => rings - before[no]!)).toEqual([1, 1]);
  expect(bench.rooms.filter((line) => line === 'keys')).toHaveLength(2); // of the share, and of the one change that had a new key
  for (const host of [...hosts, bench.newest('tenant-host')])
    expect(host.tenants).toEqual([CONTROL_ENTRY, { ...TENANT, state: 'deleting' }]);
});

test('a spare that ends is replaced before it is needed', async () => {
  const bench = new Bench(1);
  await bench.supervisor.start();
  bench.supervisor.warmSpare();
  const spare = bench.newest('tenant-host');
  spare.die('of itself');
  await expect.poll(() => bench.newest('tenant-host') !== spare, { interval: 1 }).toBe(true);
  bench.serving(0).die('a drill');
  await bench.untilReady();
  expect(bench.gaveUp).toEqual([]);
});

test('a single thread is started again on its own desk', async () => {
  const bench = new Bench(1);
  await bench.supervisor.start();
  const desk = bench.supervisor.desk('intake-writer');
  bench.newest('intake-writer').die('a drill');
  await expect.poll(() => bench.lost.length, { interval: 1 }).toBe(1);
  await bench.untilReady();
  expect(bench.supervisor.desk('intake-writer')).toBe(desk);
  expect(bench.lost).toEqual(['intake-writer']);
});

test('gives up past the budget, and when a successor does not open', async () => {
  const bench = new Bench(1);
  await bench.supervisor.start();
  const { max } = CHILDREN.find((row) => row.name === 'intake-writer')!.restarts;
  for (let exit = 1; exit <= max; exit++) {
    bench.newest('intake-writer').die('again');
    await expect.poll(() => bench.lost.length, { interval: 1 }).toBe(exit);
    await bench.untilReady();
  }
  bench.newest('intake-writer').die('again');
  await expect.poll(() => bench.gaveUp.length, { interval: 1 }).toBe(1);

  const other = new Bench(1);
  await other.supervisor.start();
  other.supervisor.warmSpare();
  const spare = other.newest('tenant-host');
  spare.opening = Promise.reject(new Error('corrupt'));
  spare.opening.catch(() => undefined);
  other.serving(0).die('a drill');
  await expect.poll(() => other.gaveUp.length, { interval: 1 }).toBe(1);
  expect(other.gaveUp[0]).toContain('corrupt');
});

test('gives up where the disk refuses to remove what a successor has replayed', async () => {
  const bench = new Bench(1);
  await bench.supervisor.start();
  bench.supervisor.warmSpare();
  const spare = bench.newest('tenant-host');
  const opening = Promise.withResolvers<void>();
  spare.opening = opening.promise;
  bench.serving(0).die('a drill');
  await expect.poll(() => spare.opened.length, { interval: 1 }).toBe(1);
  // Where the mark of a journal would be, which is removed as a file.
  mkdirSync(join(spare.opened[0]!.replay[0]!, 'durable'));
  opening.resolve();
  await expect.poll(() => bench.gaveUp.length, { interval: 1 }).toBe(1);
  expect(bench.gaveUp[0]).toMatch(/^the journals that host 0 has replayed could not be removed: .*durable/);
});
