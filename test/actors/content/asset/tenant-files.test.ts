/** The quota of a tenant's files over all of its stores, beside that of each store. Contract: docs/contract/tenants.md §3. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { StoreUse } from '#actors/content/asset/store-use.ts';
import { TenantFiles } from '#actors/content/asset/tenant-files.ts';
import { TenantUse } from '#actors/host/tenant-use.ts';
import type { BlobStore } from '#actors/content/store.ts';
import { MemoryBlobs } from '#test/storage/blob/memory.ts';
import { fc } from '#test/kit/property.ts';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function open(fileBytes: number | undefined, storeMax: number | null, reserved = 0) {
  const use = new TenantUse();
  use.bound(fileBytes === undefined ? undefined : { file_bytes: fileBytes });
  const tenant = new TenantFiles(use);
  let counts = 0;
  const stores = [0, 1, 2].map(() => {
    const blobs: BlobStore = new MemoryBlobs(() => 0);
    const bytes = blobs.bytes.bind(blobs);
    blobs.bytes = () => (counts++, bytes());
    const parts = { blobs, bytesMax: storeMax, reserved: () => Promise.resolve(reserved), tenant };
    return { blobs, use: new StoreUse(parts) };
  });
  tenant.have(stores.map((store) => store.use));
  return { use, tenant, stores, counts: () => counts };
}

const file = (size: number, name = `${size}`) => ({ sha256: digestOf(name), size, name, content_type: 'text/plain' });

test('files of all stores count together, and the refusal says which quota is full', async () => {
  const { stores, use } = open(100, 70);
  const [a, b] = stores;
  expect(await a!.use.admit(file(60))).toBe(null);
  expect(await a!.use.admit(file(20))).toMatch(/^all its files, .* may take 70 bytes/);
  expect(await b!.use.admit(file(41))).toBe('all files of the tenant, of every store, may take 100 bytes');
  expect(await b!.use.roomFor(41)).not.toBe(null);
  expect(await b!.use.admit(file(40))).toBe(null);
  expect(use.take(1)).toMatchObject({ fileBytes: 100 });
});

test('the quota is followed as it changes; without one nothing is counted', async () => {
  const { stores, use, counts } = open(undefined, null);
  expect(await stores[0]!.use.admit(file(1_000_000))).toBe(null);
  expect([counts(), use.take(1)]).toEqual([0, null]);
  use.bound({ file_bytes: 10 });
  expect(await stores[0]!.use.admit(file(10))).toBe(null);
  expect(await stores[1]!.use.admit(file(1))).not.toBe(null);
  use.bound({ file_bytes: 11 });
  expect(await stores[1]!.use.admit(file(1))).toBe(null);
});

test('uploads that are under way in any store count', async () => {
  const { stores } = open(100, null, 30);
  expect(await stores[0]!.use.roomFor(11)).not.toBe(null);
  expect(await stores[0]!.use.roomFor(10)).toBe(null);
});

test('property: whatever comes at once, no more is admitted than the quotas allow, and what is refused would not fit', async () => {
  const uploads = fc.array(fc.record({ store: fc.nat(2), size: fc.integer({ min: 1, max: 40 }) }), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(uploads, fc.nat(150), fc.nat(80), async (wishes, max, storeMax) => {
      const { stores } = open(max, storeMax);
      const full = await Promise.all(
        wishes.map(({ store, size }, at) => stores[store]!.use.admit(file(size, `${at}`))),
      );
      const sums = [0, 0, 0];
      const sizes = (of: number | null) =>
        wishes.reduce(
          (sum, { store, size }, at) => (full[at] === null && (of ?? store) === store ? sum + size : sum),
          0,
        );
      for (const of of sums.keys()) expect((sums[of] = sizes(of))).toBeLessThanOrEqual(storeMax);
      expect(sizes(null)).toBeLessThanOrEqual(max);
      // Nothing leaves, so what was refused does not fit at the end either.
      for (const [at, { store, size }] of wishes.entries())
        if (full[at] !== null) expect(sums[store]! + size > storeMax || sizes(null) + size > max).toBe(true);
    }),
  );
});
