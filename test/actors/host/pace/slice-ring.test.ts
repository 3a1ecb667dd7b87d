/** Slices of long work: one in each turn of the event loop, tenant by tenant. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { nextSlice, SliceRing } from '#actors/host/pace/slice-ring.ts';

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
