import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { CheckoutFaults } from '#runtime/threads/checkout-faults.ts';

const noLog = (() => {
  throw new Error('nothing is logged');
}) as never;

function looking(isBegun = true) {
  const looked: string[] = [];
  const begin = Promise.withResolvers<void>();
  const faultsOf = async (localdir: string) => (looked.push(localdir), '');
  const faults = new CheckoutFaults({ faultsOf, log: noLog, begin: () => begin.promise });
  if (isBegun) begin.resolve();
  return { looked, faults, begin: begin.resolve };
}

const active = (localdir: string | null): TenantEntry => ({ state: 'active', localdir }) as TenantEntry;
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('each checkout of active tenants is looked at once', async () => {
  const { looked, faults } = looking();
  faults.add([active('/a'), active('/b'), active('/a'), active(null), { ...active('/c'), state: 'registered' }]);
  faults.add([active('/b')]);
  await settled();
  expect(looked).toEqual(['/a', '/b']);
});

test('none is looked at before the start is over', async () => {
  const { looked, faults, begin } = looking(false);
  faults.add([active('/a'), active('/b')]);
  await settled();
  expect(looked).toEqual([]);
  begin();
  await settled();
  expect(looked).toEqual(['/a', '/b']);
});

test('a checkout that provisioning has just found sound is not read again', async () => {
  const { looked, faults } = looking();
  faults.pass('/a');
  faults.add([active('/a'), active('/b')]);
  await settled();
  expect(looked).toEqual(['/b']);
});

test('no more than the bound are looked at', async () => {
  const { looked, faults } = looking();
  const many = Array.from({ length: limits.host.warmProductsMax + 5 }, (_, at) => active(`/${at}`));
  faults.add(many);
  await expect.poll(() => looked.length).toBe(limits.host.warmProductsMax);
  faults.pass('/late');
  faults.add([active('/late')]);
  await settled();
  expect(looked).toHaveLength(limits.host.warmProductsMax);
});
