/** A host that one node carries for another one: its thread is a thread to the node that serves, and ends with the link. */
import { expect, onTestFinished, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { createPulse } from '#actors/host/pulse.ts';
import { Channel } from '#actors/protocol/channel.ts';
import { REPLIES, REQUESTS, STREAM, type Flat } from '#actors/protocol/frame.ts';
import type { Carriers } from '#runtime/cluster/carriers.ts';
import type { Carrying } from '#runtime/cluster/carrying.ts';
import { CarrierLinks } from '#runtime/link/carrier-links.ts';
import type { BridgedThread } from '#runtime/link/hosted.ts';
import { Hosting } from '#runtime/link/hosting.ts';
import { routeNames } from '#runtime/link/hello.ts';
import { LinkServer } from '#runtime/link/link-server.ts';
import { childRow } from '#runtime/supervisor/children.ts';
import type { CarriedThread } from '#runtime/supervisor/thread.ts';
import { pairOfPorts } from '#test/kit/ports.ts';
import { LinkWorld, ROUTES, routesOf, selfOf } from './link-world.ts';

const ROW = childRow('tenant-host');
const SERVES = 'life of n1';

/** A thread of the carrier whose far side is in this one. */
class BridgedFake implements BridgedThread {
  readonly row = ROW;
  readonly pulse = createPulse();
  idleMs = 0;
  readonly channel: Channel;
  readonly gone: Promise<string>;
  /** The thread's own end. */
  readonly inside: Channel;
  readonly batches: Flat[] = [];
  isDrained = false;
  #first: (message: unknown) => boolean = () => false;
  #post: (message: unknown) => void;
  #isGone: (why: string) => void = () => undefined;

  constructor() {
    const [near, far] = pairOfPorts();
    this.#post = (message) => near.postMessage(message);
    const port = {
      postMessage: (message: unknown) => near.postMessage(message),
      on: (_event: 'message', listener: (message: unknown) => void) =>
        near.on('message', (message) => {
          if (!this.#first(message)) listener(message);
        }),
    };
    this.channel = new Channel(port, 'main', 'tenant-host');
    this.inside = new Channel(far, 'tenant-host', 'main');
    this.inside.answer('thread.await', () => null);
    this.inside.answer('thread.soon', () => null);
    this.inside.answer('thread.drain', () => {
      this.isDrained = true;
      return null;
    });
    this.inside.onBatch = (batch) => void this.batches.push(batch);
    this.gone = new Promise((resolve) => (this.#isGone = resolve));
  }

  bridge(first: (message: unknown) => boolean): void {
    this.#first = first;
  }

  post(message: unknown): void {
    this.#post(message);
  }

  kill(): Promise<void> {
    this.die('killed');
    return Promise.resolve();
  }

  die(why: string): void {
    this.#isGone(why);
  }
}

/** The carrier's part in the log. */
class FakeCarrying implements Carrying {
  readonly told: string[] = [];
  mayBegin = true;
  over: (why: string) => void = () => undefined;

  begin(serving: string, shards: readonly number[]): Promise<boolean> {
    this.told.push(`begin ${serving} ${shards.join()}`);
    return Promise.resolve(this.mayBegin);
  }

  end(shards: readonly number[]): Promise<void> {
    this.told.push(`end ${shards.join()}`);
    return Promise.resolve();
  }

  onOver(then: (why: string) => void): void {
    this.over = then;
  }
}

class Two {
  readonly world = new LinkWorld();
  readonly threads: BridgedFake[] = [];
  readonly carrying = new FakeCarrying();
  readonly released = Promise.withResolvers<void>();
  keys = 0;
  /** What the carrier's own door was answered, and desks that it lost. */
  readonly answered: Flat[] = [];
  readonly lost: string[] = [];
  /** The clocks of both. */
  here = 1000;
  there = 1000;
  wantsKeys: () => void = () => undefined;
  serving: string | null = SERVES;
  unshared: string | null = null;
  confirms = true;
  hosting!: Hosting;
  links!: CarrierLinks;

  static async start(routes = ROUTES): Promise<Two> {
    const two = new Two();
    await two.#open(routes);
    return two;
  }

  async #open(routes: typeof ROUTES): Promise<void> {
    const { world } = this;
    const at = '127.0.0.1:0';
    this.hosting = new Hosting({
      self: selfOf('n2'),
      routes: routeNames(ROUTES),
      room: 2,
      serving: () => this.serving,
      spawn: () => {
        const thread = new BridgedFake();
        this.threads.push(thread);
        return thread;
      },
      door: {
        replies: (batch) => void this.answered.push(batch),
        lost: (desk) => void this.lost.push(desk.name),
      },
      unshared: (life) => (life === SERVES ? this.unshared : 'the mark of another life'),
      confirm: () => Promise.resolve(this.confirms),
      hearKeys: (then) => {
        this.wantsKeys = then;
        return () => undefined;
      },
      clock: { now: () => this.there, reach: (ms) => void (this.there = Math.max(this.there, ms)) },
      log: world.log,
    });
    this.hosting.open(this.carrying);
    const config = { bind: at, address: at, ...world.authority.pair('n2') };
    const server = await LinkServer.open({
      self: selfOf('n2'),
      config,
      routes: ROUTES,
      log: world.log,
      hosting: this.hosting,
    });
    onTestFinished(() => server.close());
    const sight = {
      id: 'life of n2',
      node: 'n2',
      place: '',
      leaseMs: 5000,
      link: `127.0.0.1:${server.port}`,
      beat: 1,
      isFenced: false,
      follows: { behind: 0, ageMs: 10 },
      heir: null,
      carries: null,
    };
    this.links = new CarrierLinks({
      self: selfOf('n1'),
      config: { bind: at, address: at, ...world.authority.pair('n1') },
      routes: routeNames(routes),
      row: ROW,
      carriers: { sights: () => [sight], released: () => this.released.promise } satisfies Carriers,
      wantsKeys: () => void this.keys++,
      now: () => performance.now(),
      clock: { now: () => this.here, reach: (ms) => void (this.here = Math.max(this.here, ms)) },
      log: world.log,
    });
    onTestFinished(() => this.links.stop());
    this.links.look();
  }

  async up(): Promise<void> {
    await expect.poll(() => this.links.look(), { timeout: 5000 }).toEqual([{ id: 'life of n2', weight: 2 }]);
  }

  async opened(place = 1, shards: readonly number[] = [1, 3]): Promise<CarriedThread> {
    const thread = this.links.start('life of n2', place, ['./shop'])!;
    expect(await thread.ready).toBe(true);
    expect(await thread.begin(shards)).toBe(true);
    return thread;
  }
}

test('words, batches and answers cross in both directions, and what it asks of the log is answered where it runs', async () => {
  const two = await Two.start();
  await two.up();
  const thread = await two.opened();
  expect(two.carrying.told).toEqual([`begin ${SERVES} 1,3`]);
  const [there] = two.threads;
  there!.inside.answer('host.ring', (ring) => {
    expect(ring).toEqual([{ kid: 'k' }]);
    return null;
  });
  expect(await thread.channel.ask('host.ring', [{ kid: 'k' }] as never)).toBe(null);
  thread.channel.answer('node.ask', ({ verb }) => Promise.resolve(`answer to ${verb}`));
  expect(await there!.inside.ask('node.ask', { verb: 'x', body: null })).toBe('answer to x');
  two.confirms = false;
  expect(await there!.inside.ask('cluster.confirm', null)).toBe(false);
  const replies: Flat[] = [];
  thread.channel.onBatch = (batch) => void replies.push(batch);
  thread.channel.sendBatch([REQUESTS, 0, 1, 7, 0, 'p', 'q', '', 'id', '', new Uint8Array(5000)]);
  await expect.poll(() => there!.batches.length).toBe(1);
  expect(there!.batches[0]!.slice(0, 10)).toEqual([REQUESTS, 0, 1, 7, 0, 'p', 'q', '', 'id', '']);
  there!.inside.sendBatch([REPLIES, 0, 200, '', 'body']);
  await expect.poll(() => replies).toEqual([[REPLIES, 0, 200, '', 'body']]);
  two.wantsKeys();
  await expect.poll(() => two.keys).toBe(1);
});

test('the carrier’s own door asks the thread, too: each door gets its own answers, and none is handed in behind a recall', async () => {
  const two = await Two.start();
  await two.up();
  const thread = await two.opened();
  const [there] = two.threads;
  const replies: Flat[] = [];
  thread.channel.onBatch = (batch) => void replies.push(batch);
  expect(two.hosting.deskOf(1, thread.start + 1)).toBe(null);
  expect(two.hosting.deskOf(0, thread.start)).toBe(null);
  const desk = two.hosting.deskOf(1, thread.start)!;
  expect(two.hosting.isHere(desk)).toBe(true);
  desk.outbox!.batch.push(0, 1, 7, 0, 'own', 'q', '', 'id', '', 'body');
  thread.channel.sendBatch([REQUESTS, 0, 1, 7, 0, 'far', 'q', '', 'id', '', '']);
  await expect.poll(() => there!.batches.length).toBe(2);
  const numberOf = (param: string): number => there!.batches.find((batch) => batch[5] === param)![1] as number;
  const own = numberOf('own');
  expect(numberOf('far')).toBe(0);
  expect(own).toBeGreaterThan(limits.door.inFlightMax);
  there!.inside.sendBatch([REPLIES, own, 201, '', 'to own', 0, 200, '', 'to far', own + 1, 202, '', 'to own']);
  there!.inside.sendBatch([STREAM, own, 1, 'piece']);
  there!.inside.sendBatch([STREAM, 0, 1, 'piece']);
  await expect.poll(() => replies.length).toBe(2);
  expect(replies).toEqual([
    [REPLIES, 0, 200, '', 'to far'],
    [STREAM, 0, 1, 'piece'],
  ]);
  expect(two.answered).toEqual([
    [REPLIES, 0, 201, '', 'to own', 1, 202, '', 'to own'],
    [STREAM, 0, 1, 'piece'],
  ]);
  desk.outbox!.batch.push(2, 1, 7, 0, 'last', 'q', '', 'id', '', '');
  thread.recall();
  await expect.poll(() => two.hosting.deskOf(1, thread.start)).toBe(null);
  await expect.poll(() => there!.batches.map((batch) => batch[5])).toContain('last');
  await thread.kill();
  expect(two.lost).toEqual(['carried-1']);
});

test('a thread that goes on is seen to, and one that stands still is not', async () => {
  const two = await Two.start();
  await two.up();
  const thread = await two.opened();
  two.threads[0]!.idleMs = 100;
  two.threads[0]!.pulse[2] = 5;
  await expect.poll(() => thread.pulse[2], { timeout: 5000 }).toBe(5);
  const before = thread.idleMs;
  await expect.poll(() => thread.idleMs, { timeout: 5000 }).toBeGreaterThan(before);
  // Two words without progress, and it is known not to go on.
  await expect
    .poll(
      async () => {
        const [one] = [thread.idleMs, await new Promise((resolve) => setTimeout(resolve, 50))];
        return thread.idleMs - one;
      },
      { timeout: 5000 },
    )
    .toBe(0);
});

test('one that dies there is gone here with the reason, and its shards are free at once', async () => {
  const two = await Two.start();
  await two.up();
  const thread = await two.opened();
  const waits = thread.channel.ask('thread.drain', null);
  two.threads[0]!.inside.answer('thread.drain', () => new Promise(() => undefined));
  two.threads[0]!.die('a drill\n  at x');
  expect(await thread.gone).toBe('a drill');
  await waits.catch(() => undefined);
  await thread.released();
  await expect.poll(() => two.carrying.told).toEqual([`begin ${SERVES} 1,3`, 'end 1,3']);
  const again = await two.opened(1, [1]);
  expect(again.carrier).toMatchObject({ id: 'life of n2', node: 'n2' });
  expect(again.start).toBeGreaterThan(thread.start);
  expect(two.lost).toEqual(['carried-1']);
});

test('kill resolves when the other node has said that it is gone', async () => {
  const two = await Two.start();
  await two.up();
  const thread = await two.opened();
  await thread.kill();
  expect(await thread.gone).toBe('killed');
  await thread.released();
  await thread.kill();
});

test('a node that may not open the shards says so, and its thread ends', async () => {
  const two = await Two.start();
  await two.up();
  two.carrying.mayBegin = false;
  const thread = two.links.start('life of n2', 1, [])!;
  expect(await thread.ready).toBe(true);
  expect(await thread.begin([1])).toBe(false);
  await thread.released();
});

test('when the link is lost the hosts end in order, and the other node waits until its beats say so', async () => {
  const two = await Two.start();
  await two.up();
  const thread = await two.opened();
  two.links.stop();
  expect(await thread.gone).toContain('the link to n2 is lost');
  await expect.poll(() => two.carrying.told, { timeout: 5000 }).toContain('end 1,3');
  expect(two.threads[0]!.isDrained).toBe(true);
  let isReleased = false;
  void thread.released().then(() => (isReleased = true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isReleased).toBe(false);
  two.released.resolve();
  await expect.poll(() => isReleased).toBe(true);
  await expect(thread.channel.ask('host.seal', null)).rejects.toThrow('the thread is gone');
});

test('a carrier that must end does so at once, and the link ends behind it', async () => {
  const two = await Two.start();
  await two.up();
  const thread = await two.opened();
  two.carrying.over('the life for which it carries serves no more');
  await thread.gone;
  await expect.poll(() => two.carrying.told, { timeout: 5000 }).toContain('end 1,3');
  expect(two.hosting.count).toBe(0);
});

test.each<[string, (two: Two) => void, string]>([
  ['a life that does not serve', (two) => (two.serving = 'another life'), 'it does not serve, as this node sees it'],
  [
    'a node whose files lie elsewhere',
    (two) => (two.unshared = 'its folder blobs is not the one here'),
    'its folder blobs is not the one here',
  ],
  ['a node that is about to serve', (two) => void two.hosting.close('it serves'), 'this node carries no hosts'],
])('%s is refused', async (_who, before, why) => {
  const two = await Two.start();
  before(two);
  await expect.poll(() => two.world.warned, { timeout: 5000 }).toContain(why);
  expect(two.links.look()).toEqual([]);
});

test('a node with other routes is refused: requests name them by number', async () => {
  const two = await Two.start(routesOf('read', 'write'));
  await expect
    .poll(() => two.world.warned, { timeout: 5000 })
    .toContain('its platform file has other routes than that of this node');
});

test('neither clock stays behind the other, and a node whose clock is far ahead carries nothing', async () => {
  const two = await Two.start();
  two.here = 3000;
  await two.up();
  await expect.poll(() => two.there, { timeout: 5000 }).toBe(3000);
  two.there = 8000;
  await expect.poll(() => two.here, { timeout: 5000 }).toBe(8000);
  two.there = 8000 + limits.cluster.link.aheadMsMax + 1;
  await expect.poll(() => two.world.warned.join(), { timeout: 5000 }).toContain('ahead of this node');
});
