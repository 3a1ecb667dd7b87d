/** The supervisor over threads that are channels in this one (ARCHITECTURE.md, "Threads"; docs/contract/common.md §8.3). */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Platform } from '#config/platform.ts';
import { SimulatedClock } from '#actors/kit/clock.ts';
import { createPulse } from '#actors/host/pulse.ts';
import { Channel } from '#actors/protocol/channel.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { topicsBetween } from '#actors/protocol/topics.ts';
import type { HostOpen, TenantEntry } from '#actors/protocol/topics.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import { CHILDREN } from '#runtime/supervisor/children.ts';
import type { ChildRow } from '#runtime/supervisor/children.ts';
import { TenantHostRoom } from '#runtime/rooms/tenant-host-room.ts';
import type { ThreadRoom } from '#runtime/supervisor/room.ts';
import { Shared } from '#runtime/supervisor/shared.ts';
import { Supervisor } from '#runtime/supervisor/supervisor.ts';
import type { Thread } from '#runtime/supervisor/thread.ts';
import { pairOfPorts } from '#test/kit/ports.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

const NONE: ReadonlySet<string> = new Set();
const TENANT: TenantEntry = { ...CONTROL_ENTRY, no: 2, shard: 1, position: parsePosition('a:b:c:d')! };

/** A thread whose far side is in this one. */
class FakeThread implements Thread {
  readonly row: ChildRow;
  readonly channel: Channel;
  readonly gone: Promise<string>;
  readonly pulse = createPulse();
  readonly idleMs = 0;
  readonly far: Channel;
  readonly opened: HostOpen[] = [];
  tenants: readonly TenantEntry[] = [];
  /** How often it was told of a ring. */
  rings = 0;
  /** Held back until it resolves. */
  opening: Promise<void> = Promise.resolve();
  draining: Promise<void> = Promise.resolve();
  isKilled = false;
  readonly #end: (reason: string) => void;

  constructor(row: ChildRow, told: string[]) {
    const [near, far] = pairOfPorts();
    this.row = row;
    this.channel = new Channel(near, 'main', row.name);
    this.far = new Channel(far, row.name, 'main');
    let end: (reason: string) => void = () => undefined;
    this.gone = new Promise((resolve) => (end = resolve));
    this.#end = end;
    if (row.name === 'tenant-host') this.#answerAsHost(told);
    if (row.name === 'audit-sealer') this.far.answer('host.ring', () => null);
    if (row.name === 'intake-writer') {
      this.far.answer('intake.open', () => {
        told.push('open intake-writer');
        return { replayed: 0 };
      });
    }
    for (const topic of ['audit.open', 'vault.open', 'host.trust', 'thread.retire'] as const)
      if (topicsBetween('main', row.name).has(topic)) this.far.answer(topic, () => null);
    this.far.answer('thread.drain', async () => {
      told.push(`drain ${row.name}`);
      await this.draining;
      return null;
    });
  }

  #answerAsHost(told: string[]): void {
    this.far.answer('host.open', async (body) => {
      this.opened.push(body);
      this.tenants = body.tenants;
      mkdirSync(join(dirs.at(-1)!, 'journal', `${String(body.epoch).padStart(10, '0')}-host-${body.host}`));
      await this.opening;
      told.push(`open ${this.row.name} ${body.host}`);
      return { openMs: 0, stopped: [] };
    });
    this.far.answer('host.ring', () => {
      this.rings++;
      return null;
    });
    this.far.answer('host.changed', ({ put, gone }) => {
      const left = this.tenants.filter(({ no }) => !gone.includes(no) && !put.some((tenant) => tenant.no === no));
      this.tenants = [...left, ...put];
      return null;
    });
    this.far.answer('host.tenants', (tenants) => {
      this.tenants = tenants;
      return null;
    });
  }

  kill(): Promise<void> {
    this.isKilled = true;
    this.die('killed');
    return Promise.resolve();
  }

  die(reason: string): void {
    this.channel.close(reason);
    this.#end(reason);
  }
}

class Bench {
  readonly told: string[] = [];
  readonly threads: FakeThread[] = [];
  readonly lost: string[] = [];
  readonly gaveUp: string[] = [];
  readonly degraded = new Map<string, string>();
  readonly reported: string[] = [];
  readonly reasons: string[] = [];
  readonly clock = new SimulatedClock();
  readonly supervisor: Supervisor;
  readonly hosts: TenantHostRoom;
  /** What rooms of single threads were told, in order. */
  readonly rooms: string[] = [];
  restarts = 0;

  constructor(hosts: number, identity: object = {}, more: object = {}) {
    const dir = mkdtempSync(join(tmpdir(), 'skep-supervisor-'));
    dirs.push(dir);
    mkdirSync(join(dir, 'journal'));
    const shared = new Shared();
    const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
    this.supervisor = new Supervisor(
      {
        platform: {
          hosts,
          storage: { dir },
          identity,
          intake: { notify: { enabled: false } },
          audit: { enabled: false },
          hives: { tenant: [] },
          content: { contentsource: { type: 'meta' } },
          vault: { enabled: false },
          service: null,
          ...more,
        } as unknown as Platform,
        clock: this.clock,
        log: quiet,
        shared,
        room: (name) => (name === 'tenant-host' ? this.hosts : this.#roomOf(name)),
        degraded: {
          report: ({ scope, name, reason }) => {
            this.degraded.set(`${scope} ${name}`, reason);
            this.reported.push(`${scope} ${name}`);
            this.reasons.push(reason);
          },
          clear: (scope, name) => void this.degraded.delete(`${scope} ${name}`),
        },
        spawn: (row) => {
          const thread = new FakeThread(row, this.told);
          this.threads.push(thread);
          return thread;
        },
        replies: () => undefined,
        lost: (desk) => void this.lost.push(desk.name),
        restarted: () => void this.restarts++,
        giveUp: (reason) => void this.gaveUp.push(reason),
      },
      0,
    );
    const unasked = (): Promise<never> => Promise.reject(new Error('nobody asks for this'));
    this.hosts = new TenantHostRoom({
      threads: this.supervisor,
      shared,
      vault: { tenantSecret: unasked },
      sealer: { tellKeys: () => Promise.resolve(void this.rooms.push('keys')) },
      ask: unasked,
      relay: unasked,
    });
  }

  #roomOf(name: ChildRow['name']): ThreadRoom {
    return {
      attach: () => void this.rooms.push(`${name} attached`),
      opened: () => Promise.resolve(void this.rooms.push(`${name} opened`)),
      draining: () => Promise.resolve(void this.rooms.push(`${name} draining`)),
    };
  }

  /** The newest thread of a kind. */
  newest(name: ChildRow['name']): FakeThread {
    return this.threads.findLast((thread) => thread.row.name === name)!;
  }

  serving(host: number): FakeThread {
    return this.threads.findLast((thread) => thread.opened.at(-1)?.host === host)!;
  }

  async untilReady(): Promise<void> {
    await expect.poll(() => [this.supervisor.isServing(NONE), this.degraded.size], { interval: 1 }).toEqual([true, 0]);
  }
}

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

test('a host that is away is named, and only when no host is left can nobody be served', async () => {
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

test('what is watched serves; nobody is served where every host stands still', async () => {
  const bench = new Bench(2);
  await bench.supervisor.start();
  const seen = [...bench.supervisor.watched()].map(({ name, isHost }) => `${name} ${isHost}`);
  expect(seen.sort()).toEqual(['host-0 true', 'host-1 true', 'intake-writer false', 'rate-keeper false']);
  expect(bench.supervisor.isServing(new Set(['host-0', 'intake-writer']))).toBe(true);
  expect(bench.supervisor.isServing(new Set(['host-0', 'host-1']))).toBe(false);
  bench.supervisor.hostDesk(0).outbox = null;
  expect([...bench.supervisor.watched()].map(({ name }) => name)).not.toContain('host-0');
});

test('a service that runs alone cannot serve anybody without its thread', async () => {
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

test('a spare that ends is replaced before anybody needs it', async () => {
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
