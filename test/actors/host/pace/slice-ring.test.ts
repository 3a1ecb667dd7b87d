/** Slices of long work: one in each turn of the event loop, tenant by tenant. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { nextSlice, SlicePlace, SliceRing } from '#actors/host/pace/slice-ring.ts';

test('one goes on in each turn of the loop, and a tenant with many waits behind one with few', async () => {
  const order: string[] = [];
  const begun = (name: string, tenantNo: number): Promise<void> =>
    nextSlice(tenantNo).then(() => void order.push(name));
  const all = [begun('a1', 1), begun('a2', 1), begun('a3', 1), begun('b1', 2), begun('b2', 2)];
  let most = 0;
  for (let seen = 0; order.length < all.length; seen = order.length) {
    await turn();
    most = Math.max(most, order.length - seen);
  }
  expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  expect(most).toBe(1);
});

test('work that waits again comes after what waited already, and a ring that ran empty begins anew', async () => {
  const order: string[] = [];
  const walk = async (name: string, tenantNo: number): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await nextSlice(tenantNo);
      order.push(name);
    }
  };
  await Promise.all([walk('a', 1), walk('b', 2), walk('a', 1)]);
  expect(order.slice(0, 4).sort()).toEqual(['a', 'a', 'b', 'b']);
  await walk('c', 3);
  expect(order.slice(-3)).toEqual(['c', 'c', 'c']);
});

test('where callers wait, they have as long as the last slice took before the next begins', async () => {
  let now = 0;
  let callersWait = true;
  const ring = new SliceRing(() => now);
  ring.giveWay(() => callersWait);
  const begun: number[] = [];
  const slice = (ms: number) => (): void => {
    begun.push(now);
    now += ms;
  };
  const turnsPass = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) await turn();
  };
  ring.wait(1, slice(80));
  ring.wait(1, slice(5));
  ring.wait(2, slice(5));
  await turnsPass();
  expect(begun).toEqual([0]);
  now = 159;
  await turnsPass();
  expect(begun).toEqual([0]);
  now = 160;
  await turnsPass();
  expect(begun).toEqual([0, 160]);
  callersWait = false;
  await turnsPass();
  expect(begun).toEqual([0, 160, 165]);
});

test('of many works of a tenant few are under way at a time, and each takes several slices in a row', async () => {
  const order: string[] = [];
  const work = async (name: string, tenantNo: number, slices: number): Promise<void> => {
    const place = new SlicePlace();
    const others = place.begin(tenantNo);
    if (others !== null) await others;
    expect(place.begin(tenantNo)).toBeNull(); // a part of the same work has its place already
    for (let no = 0; no < slices; no++) {
      if (no > 0) await place.next(tenantNo);
      order.push(name);
    }
  };
  const long = limits.host.slicesInARow + 1;
  await Promise.all([
    work('a', 1, 2 * long),
    nextSlice(1).then(() => order.push('already waiting')),
    work('b', 1, 3),
    work('c', 1, 3),
    work('other tenant', 2, long),
  ]);
  const own = order.filter((name) => name !== 'other tenant');
  expect(own.indexOf('b')).toBeGreaterThan(limits.host.slicesInARow - 1);
  expect(own.slice(own.indexOf('b'), own.lastIndexOf('b') + 1)).toEqual(['b', 'b', 'b']);
  expect(own.indexOf('c')).toBeGreaterThan(own.lastIndexOf('b'));
  // Between two slices of one tenant the other has its own.
  expect(order.lastIndexOf('other tenant')).toBeLessThanOrEqual(2 * long);
});
