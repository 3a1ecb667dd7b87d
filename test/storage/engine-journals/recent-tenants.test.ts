/** The tenants that were written last. */
import { expect, test } from 'vitest';
import { u32 } from '#storage/key.ts';
import { RecentTenants } from '#storage/engine-journals/recent-tenants.ts';

test('they come newest first, each once, and the oldest are forgotten', () => {
  const recent = new RecentTenants(3);
  for (const no of [1, 0x01020304, 2, 1, 0xfffffffe]) recent.saw(`${u32(no)}\x00rest`);
  expect(recent.nos).toEqual([0xfffffffe, 1, 2]);
});

test('before the first record there are none', () => {
  expect(new RecentTenants(3).nos).toEqual([]);
});
