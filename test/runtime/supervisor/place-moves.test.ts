/** Places of hosts that go to other nodes and come back: one at a time, in order, and at no cost of the restart budget. */
import { afterEach, expect, test } from 'vitest';
import type { FarPlaces } from '#runtime/supervisor/far-places.ts';
import { childRow } from '#runtime/supervisor/children.ts';
import type { Room } from '#runtime/supervisor/share-places.ts';
import type { CarriedThread } from '#runtime/supervisor/thread.ts';
import { Bench, FakeThread, NONE, removeDirs } from './bench.ts';

afterEach(removeDirs);

const CARRY = { cluster: { carry: true, places: 4 } };
const SHARDS = 8;

class FakeCarried extends FakeThread implements CarriedThread {
  readonly carrier: CarriedThread['carrier'];
  readonly place: number;
  readonly start = 1;
  ready: Promise<boolean> = Promise.resolve(true);
  begun: readonly number[] | null = null;
  mayBegin = true;
  readonly free = Promise.withResolvers<void>();
  /** Whether the node that asks is over. */
  isOver = false;
  readonly #told: string[];

  constructor(id: string, place: number, told: string[]) {
    super(childRow('tenant-host'), told);
    this.#told = told;
    this.carrier = { id, node: `node ${id}`, link: '' };
    this.place = place;
  }

  begin(shards: readonly number[]): Promise<boolean> {
    this.begun = shards;
    return Promise.resolve(this.mayBegin);
  }

  recall(): void {
    this.#told.push('recall');
  }

  async released(): Promise<void> {
    await this.gone;
    if (this.isOver) throw new Error('this life of the node was ended by another node');
    if (!this.isKilled) await this.free.promise;
  }
}

class Far implements FarPlaces {
  rooms: readonly Room[] = [];
  readonly threads: FakeCarried[] = [];
  isStopped = false;
  readonly #told: string[];
  made: (thread: FakeCarried) => void = () => undefined;

  constructor(told: string[]) {
    this.#told = told;
  }

  look(): readonly Room[] {
    return this.rooms;
  }

  nameOf(id: string): string {
    return `node ${id}`;
  }

  idOf(node: string): string | null {
    return this.rooms.find(({ id }) => node === `node ${id}`)?.id ?? null;
  }

  start(id: string, place: number): CarriedThread {
    const thread = new FakeCarried(id, place, this.#told);
    this.threads.push(thread);
    this.made(thread);
    return thread;
  }

  stop(): void {
    this.isStopped = true;
  }
}

async function started(): Promise<{ bench: Bench; far: Far }> {
  const bench = new Bench(2, {}, CARRY, SHARDS);
  await bench.supervisor.start();
  return { bench, far: new Far(bench.told) };
}

const SELF = { id: 'a', weight: 2 };
const nodes = (bench: Bench): (string | null)[] =>
  [...bench.supervisor.places()].filter(({ shards }) => shards !== null).map(({ node }) => node);
const away = (bench: Bench): number => nodes(bench).filter((node) => node !== null).length;

const share = ({ supervisor }: Bench, far: Far): void =>
  supervisor.shareOut({
    far,
    self: SELF,
    node: 'node a',
    now: () => performance.now(),
    before: () => Promise.reject(new Error('a drill')),
  });

test('a start opens every place here, and then each node gets its share; the place of the control plane stays', async () => {
  const { bench, far } = await started();
  expect(nodes(bench)).toEqual([null, null, null, null]);
  far.rooms = [{ id: 'b', weight: 2 }];
  share(bench, far);
  await expect.poll(() => away(bench), { interval: 1 }).toBe(2);
  expect(nodes(bench)[0]).toBe(null);
  expect(bench.adopted).toEqual(far.threads);
  for (const { begun, opened, place } of far.threads) {
    expect(begun).toEqual([place, place + 4]);
    expect(opened.map(({ host, shards }) => [host, shards])).toEqual([[place, [place, place + 4]]]);
    const said = bench.told.filter((line) => line.endsWith(` ${place}`));
    expect(said).toEqual([
      `open tenant-host ${place}`,
      `retire ${place}`,
      `seal ${place}`,
      `open tenant-host ${place}`,
    ]);
  }
  expect([bench.restarts, bench.gaveUp, bench.degraded.size]).toEqual([0, [], 0]);
  expect(bench.supervisor.host(far.threads[0]!.place)).toBe(far.threads[0]!.channel);
  await bench.supervisor.stop();
  expect(far.threads.every(({ isKilled }) => isKilled)).toBe(true);
  expect(far.isStopped).toBe(true);
});

test('requests meet a closed desk while a place moves, and what its thread took is answered first', async () => {
  const { bench, far } = await started();
  const sealed = Promise.withResolvers<void>();
  for (const thread of bench.threads) thread.sealing = sealed.promise;
  far.rooms = [{ id: 'b', weight: 2 }];
  share(bench, far);
  await expect.poll(() => bench.told.some((line) => line.startsWith('seal')), { interval: 1 }).toBe(true);
  const { place } = far.threads[0]!;
  const desk = bench.supervisor.hostDesk(place);
  expect([desk.isClosed, desk.outbox === null, far.threads[0]!.begun]).toEqual([true, false, null]);
  expect(far.threads).toHaveLength(1); // one at a time
  sealed.resolve();
  await expect.poll(() => away(bench), { interval: 1 }).toBe(2);
  expect([desk.isClosed, desk.outbox === null]).toEqual([false, false]);
});

test('a node that is gone costs no budget: its place opens here when that node runs nothing any more', async () => {
  const { bench, far } = await started();
  far.rooms = [{ id: 'b', weight: 2 }];
  share(bench, far);
  await expect.poll(() => away(bench), { interval: 1 }).toBe(2);
  const [one] = far.threads;
  far.rooms = [];
  one!.die('the link is lost');
  await expect.poll(() => bench.degraded.get(`host host-${one!.place}`), { interval: 1 }).toContain('on node node b');
  expect(bench.lost).toContain(`host-${one!.place}`);
  expect(nodes(bench)[one!.place]).toBe('node b');
  one!.free.resolve();
  await expect.poll(() => nodes(bench)[one!.place], { interval: 1 }).toBe(null);
  await expect.poll(() => bench.degraded.size, { interval: 1 }).toBe(0);
  expect([bench.restarts, bench.gaveUp]).toEqual([0, []]);
});

test.each<[string, (thread: FakeCarried) => void]>([
  ['does not come to load its code', (thread) => (thread.ready = Promise.resolve(false))],
  ['may not have the shards', (thread) => (thread.mayBegin = false)],
  ['dies while it opens', (thread) => thread.far.answer('host.open', () => new Promise(() => thread.die('a drill')))],
])('where a thread elsewhere %s, the place runs here', async (_what, fault) => {
  const { bench, far } = await started();
  far.rooms = [{ id: 'b', weight: 2 }];
  far.made = (thread) => {
    fault(thread);
    thread.free.resolve();
  };
  share(bench, far);
  await expect.poll(() => far.threads.length, { interval: 1 }).toBe(1);
  await expect.poll(() => bench.supervisor.isServing(NONE) && away(bench) === 0, { interval: 1 }).toBe(true);
  const { place } = far.threads[0]!;
  await expect.poll(() => bench.supervisor.hostDesk(place).isClosed, { interval: 1 }).toBe(false);
  expect([bench.gaveUp, bench.restarts]).toEqual([[], 0]);
  expect(far.threads).toHaveLength(1); // it is left alone for a while
});

test('a node whose own life is over opens no place of another one that is gone, and does not end by that', async () => {
  const { bench, far } = await started();
  far.rooms = [{ id: 'b', weight: 2 }];
  share(bench, far);
  await expect.poll(() => away(bench), { interval: 1 }).toBe(2);
  const before = bench.told.length;
  for (const thread of far.threads) {
    thread.isOver = true;
    thread.die('the link is lost');
  }
  await expect.poll(() => bench.degraded.size, { interval: 1 }).toBe(2);
  await bench.supervisor.stop();
  expect(bench.told.slice(before).filter((line) => line.startsWith('open'))).toEqual([]);
  expect([bench.restarts, bench.gaveUp]).toEqual([0, []]);
});

test('nor one that was on its way there', async () => {
  const { bench, far } = await started();
  far.rooms = [{ id: 'b', weight: 2 }];
  far.made = (thread) => {
    thread.isOver = true;
    thread.far.answer('host.open', () => new Promise(() => thread.die('a drill')));
  };
  share(bench, far);
  await expect.poll(() => far.threads[0]?.isKilled, { interval: 1 }).toBe(true);
  const { place } = far.threads[0]!;
  await bench.supervisor.stop();
  expect(bench.told.filter((line) => line === `open tenant-host ${place}`)).toHaveLength(1);
  expect(bench.gaveUp).toEqual([]);
});

test('a job on files of this machine brings its place home, and the place stays while the job goes on', async () => {
  const { bench, far } = await started();
  far.rooms = [{ id: 'b', weight: 2 }];
  share(bench, far);
  await expect.poll(() => away(bench), { interval: 1 }).toBe(2);
  const { place } = far.threads[0]!;
  await bench.hosts.beginJob(
    { shard: place, no: 7 },
    { kind: 'export', shard: place, no: 7, path: '/x', tenant: 't', madeAt: '' },
  );
  expect(nodes(bench)[place]).toBe(null);
  expect(bench.told.slice(-2)).toEqual([`open tenant-host ${place}`, `copies.begin ${place}`]);
  await expect.poll(() => away(bench), { interval: 1 }).toBe(1);
  const elsewhere = far.threads[1]!.place;
  await bench.hosts.beginJob({ shard: elsewhere, no: 7 }, { kind: 'admit', shard: elsewhere, no: 7 });
  expect(nodes(bench)[elsewhere]).toBe('node b');
});

test('a place runs where an operator wants it, for as long as that node is there, and the others make room', async () => {
  const { bench, far } = await started();
  far.rooms = [{ id: 'b', weight: 2 }];
  share(bench, far);
  await expect.poll(() => away(bench), { interval: 1 }).toBe(2);
  const home = nodes(bench).findLastIndex((node) => node === null);
  expect(await bench.supervisor.moveTo(home + 4, 'node b')).toEqual({
    shard: home + 4,
    place: home,
    from: 'node a',
    to: 'node b',
  });
  await bench.supervisor.moveTo(home, 'node b');
  expect(nodes(bench)[home]).toBe('node b');
  expect(await bench.supervisor.moveTo(home, 'node a')).toMatchObject({ from: 'node b', to: 'node a' });
  expect(nodes(bench)[home]).toBe(null);
  await bench.supervisor.moveTo(home, 'node b');
  far.rooms = [];
  for (const thread of far.threads) thread.die('a drill');
  for (const thread of far.threads) thread.free.resolve();
  await expect.poll(() => away(bench), { interval: 1 }).toBe(0);
  await bench.supervisor.stop();
});

test('a rebalance says what would move, moves it when it is asked to, and forgets what was wished', async () => {
  const { bench, far } = await started();
  await expect(bench.supervisor.rebalance(true)).rejects.toThrow('shares its places with no other one');
  far.rooms = [{ id: 'b', weight: 2 }];
  share(bench, far);
  await expect.poll(() => away(bench), { interval: 1 }).toBe(2);
  expect(await bench.supervisor.rebalance(true)).toEqual([]);
  const home = nodes(bench).findLastIndex((node) => node === null);
  await bench.supervisor.moveTo(home, 'node b');
  await expect.poll(() => away(bench), { interval: 1 }).toBe(2); // the others made room
  const elsewhere = nodes(bench).findIndex((node, no) => node === 'node b' && no !== home);
  await bench.supervisor.moveTo(elsewhere, 'node b');
  expect(away(bench)).toBe(2);
  const third = nodes(bench).findLastIndex((node) => node === null);
  await bench.supervisor.moveTo(third, 'node b');
  const planned = await bench.supervisor.rebalance(true);
  expect(nodes(bench)[third]).toBe('node b');
  expect(planned).toEqual([
    {
      place: expect.any(Number) as number,
      shards: [expect.any(Number), expect.any(Number)],
      from: 'node b',
      to: 'node a',
    },
  ]);
  expect(planned[0]!.shards).toEqual([planned[0]!.place, planned[0]!.place + 4]);
  expect(await bench.supervisor.rebalance(false)).toEqual(planned);
  expect(away(bench)).toBe(2);
  expect(nodes(bench)[planned[0]!.place]).toBe(null);
  await bench.supervisor.stop();
});

test('what cannot be moved is said: a node that carries nothing, the place of the control plane, a shard that is none', async () => {
  const { bench, far } = await started();
  await expect(async () => bench.supervisor.moveTo(1, 'node b')).rejects.toThrow('shares its places with no other one');
  far.rooms = [{ id: 'b', weight: 2 }];
  share(bench, far);
  await expect.poll(() => away(bench), { interval: 1 }).toBe(2);
  await expect(bench.supervisor.moveTo(1, 'node c')).rejects.toThrow('node c carries no hosts now');
  await expect(bench.supervisor.moveTo(0, 'node b')).rejects.toThrow('the place of the control plane');
  await expect(async () => bench.supervisor.moveTo(SHARDS, 'node b')).rejects.toThrow(`they are 0 to ${SHARDS - 1}`);
  await bench.supervisor.stop();
});
