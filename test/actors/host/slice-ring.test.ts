/** Slices of long work: one in each turn of the event loop, tenant by tenant. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { nextSlice } from '#actors/host/slice-ring.ts';

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

test('who waits again comes after those who waited, and a ring that ran empty begins anew', async () => {
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
