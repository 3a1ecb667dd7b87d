/** The first signing key of a node that cannot make one yet: tried again until it is made and shared, and no longer than the node runs. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import { Directory } from '#runtime/door/directory.ts';
import { Tenants } from '#runtime/tenants.ts';
import { unasked } from '#test/kit/unasked.ts';

const asked: string[] = [];
let shared = 0;
/** Why the control plane does not answer; null where it does. */
let fault: string | null = null;
const warned: object[] = [];
const none = (): void => undefined;
const log = { info: none, error: none, warn: (fields: object) => void warned.push(fields) };

function tenants(): Tenants {
  return new Tenants({
    platform: { storage: { dir: '' }, hives: { tenant: [] } },
    directory: new Directory([]),
    hosts: {
      shardCount: 1,
      ask: (_shard, _no, _service, verb) => {
        asked.push(verb);
        if (fault !== null) return Promise.reject(new Error(fault));
        return Promise.resolve(verb === 'control.read' ? { tenants: [], ring: [] } : true);
      },
      share: () => Promise.resolve(void shared++),
      change: unasked,
      forget: unasked,
      awake: unasked,
      relay: unasked,
    },
    ringKeys: {
      place: null,
      make: () => Promise.resolve(null),
      withKeys: (ring) => Promise.resolve([...ring]),
      forget: unasked,
    },
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  asked.length = 0;
  warned.length = 0;
  shared = 0;
  fault = 'the disk is full';
});
afterEach(() => void vi.useRealTimers());

const wait = (): Promise<unknown> => vi.advanceTimersByTimeAsync(limits.identity.ringRetryMs);

test('it is tried again, whatever fails, and shared once it is made', async () => {
  const place = tenants();
  await expect(place.ringFromTheStart(log)).rejects.toThrow('the disk is full');
  await wait();
  await wait();
  expect(warned).toHaveLength(3);
  expect([asked.filter((verb) => verb === 'ring.ensure').length, shared]).toEqual([3, 0]);
  fault = null;
  await wait();
  expect(shared).toBe(1);
  await wait();
  expect([asked.filter((verb) => verb === 'ring.ensure').length, shared]).toEqual([4, 1]);
});

test('a node that stops tries no longer', async () => {
  const place = tenants();
  await expect(place.ringFromTheStart(log)).rejects.toThrow('the disk is full');
  const [tries, lines] = [asked.length, warned.length];
  place.stop();
  await wait();
  expect([asked.length, warned.length, vi.getTimerCount()]).toEqual([tries, lines, 0]);
});
