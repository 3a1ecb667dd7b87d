/** Which tenants a host wakes before they are asked for. */
import { expect, test } from 'vitest';
import type { Platform } from '#config/platform.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { WarmUp } from '#runtime/threads/warm-up.ts';

const PLATFORM = { content: { loadtenants: ['acme:shop:dev:named'] }, log: { level: 'silent' } } as unknown as Platform;

const entry = (no: number, more: object = {}): TenantEntry =>
  ({ no, state: 'active', position: { key: `acme:shop:dev:t${no}` }, ...more }) as unknown as TenantEntry;

/** Tells which are woken; one that is listed fails. */
function warm(failing: readonly number[] = []) {
  const woken: number[] = [];
  const up = new WarmUp(PLATFORM, (no) => {
    woken.push(no);
    return failing.includes(no) ? Promise.reject(new Error('it does not wake')) : Promise.resolve();
  });
  return { up, woken };
}

const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test('those that are expected wake in their order, once, and one that fails keeps none from it', async () => {
  const { up, woken } = warm([7]);
  up.expect([9, 7, 3]);
  up.saw([3, 7, 9, 11].map((no) => entry(no)));
  await rest();
  expect(woken).toEqual([9, 7, 3]);
  up.saw([entry(9)]);
  await rest();
  expect(woken).toEqual([9, 7, 3]);
});

test('one that comes later wakes then; what is not served here, or not active, sleeps', async () => {
  const { up, woken } = warm();
  up.expect([1, 2, 3]);
  up.saw([entry(3, { state: 'registered' })]);
  await rest();
  expect(woken).toEqual([]);
  up.saw([entry(2)]);
  await rest();
  expect(woken).toEqual([2]);
});

test('a node of an earlier release that serves names none: nothing is expected', async () => {
  const { up, woken } = warm();
  up.expect(undefined);
  up.saw([entry(1)]);
  await rest();
  expect(woken).toEqual([]);
});

test('a tenant of content.loadtenants wakes whether or not it is expected', async () => {
  const { up, woken } = warm();
  up.saw([entry(4, { position: { key: 'acme:shop:dev:named' } }), entry(5)]);
  await rest();
  expect(woken).toEqual([4]);
});
