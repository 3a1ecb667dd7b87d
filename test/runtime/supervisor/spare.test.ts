/** The warm spare by itself: one that ends is no fault of the node. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { createPulse } from '#actors/host/pulse.ts';
import { Channel } from '#actors/protocol/channel.ts';
import { CHILDREN } from '#runtime/supervisor/children.ts';
import { Spare, WARM_SPARE } from '#runtime/supervisor/spare.ts';
import type { Thread } from '#runtime/supervisor/thread.ts';
import { pairOfPorts } from '#test/kit/ports.ts';

const { spareWaitMs, spareWaitMsMax } = limits.host;
const row = CHILDREN.find(({ name }) => name === 'tenant-host')!;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

class Bench {
  readonly clock = new SimulatedClock();
  readonly ends: ((reason: string) => void)[] = [];
  readonly degraded = new Set<string>();
  readonly ended: string[] = [];
  /** Whether a thread comes up at all. */
  comesUp = true;
  readonly spare: Spare;

  constructor() {
    const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
    this.spare = new Spare({
      clock: this.clock,
      log: quiet,
      degraded: {
        report: ({ name, reason }) => void this.degraded.add(`${name}: ${reason}`),
        clear: () => this.degraded.clear(),
      },
      spawn: () => this.#spawn(),
      use: WARM_SPARE,
      greet: ({ channel }) => channel.ask('host.tenants', []),
      ended: (reason) => void this.ended.push(reason),
    });
  }

  #spawn(): Thread {
    const [near, far] = pairOfPorts();
    if (this.comesUp) new Channel(far, 'tenant-host', 'main').answer('host.tenants', () => null);
    const gone = new Promise<string>((resolve) => this.ends.push(resolve));
    return {
      row,
      channel: new Channel(near, 'main', 'tenant-host'),
      pulse: createPulse(),
      idleMs: 0,
      gone,
      kill: () => Promise.resolve(),
    };
  }

  async end(reason = 'Error [ERR_WORKER_INIT_FAILED]: Worker initialization failure: EMFILE\n at here'): Promise<void> {
    this.ends.at(-1)!(reason);
    await this.settle();
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await Promise.resolve();
  }
}

test('one that ends is started again at once, the next later each time, for ever', async () => {
  const bench = new Bench();
  bench.comesUp = false;
  bench.spare.warm();
  bench.spare.warm();
  expect(bench.ends).toHaveLength(1);
  await bench.end();
  expect(bench.ends).toHaveLength(2);
  for (let fault = 0; fault < 12; fault++) {
    const waitMs = Math.min(spareWaitMs * 2 ** fault, spareWaitMsMax);
    await bench.end();
    vi.advanceTimersByTime(waitMs - 1);
    expect(bench.ends).toHaveLength(2 + fault);
    vi.advanceTimersByTime(1);
    expect(bench.ends).toHaveLength(3 + fault);
  }
  expect(bench.ended).toHaveLength(13);
  expect([...bench.degraded]).toEqual([
    expect.stringContaining(
      'spare host: it has ended (Error [ERR_WORKER_INIT_FAILED]: Worker initialization failure: EMFILE)',
    ),
  ]);
});

test('one that comes up is well; one that lived long is started again at once', async () => {
  const bench = new Bench();
  bench.spare.warm();
  await bench.end();
  await bench.settle();
  expect(bench.degraded.size).toBe(0);
  bench.clock.advance(spareWaitMsMax + 1);
  await bench.end();
  expect(bench.ends).toHaveLength(3);
});

test('one that was taken is no spare any more, and none is started after the stop', async () => {
  const bench = new Bench();
  bench.spare.warm();
  expect(bench.spare.take()).not.toBeNull();
  expect(bench.spare.take()).toBeNull();
  await bench.end();
  expect([bench.ends.length, bench.ended]).toEqual([1, []]);
  bench.spare.warm();
  expect(bench.spare.stop()).not.toBeNull();
  bench.spare.warm();
  await bench.end();
  expect(bench.ends).toHaveLength(2);
});
