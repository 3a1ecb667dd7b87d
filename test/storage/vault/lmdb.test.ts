import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openLmdbVault } from '#storage/vault/lmdb.ts';
import { StorageFull } from '#storage/fault.ts';
import { storeCases } from './store.cases.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-vault-lmdb-'));
const onFatal = (error: Error): never => {
  throw error;
};

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('lmdb', () => {
  storeCases({
    open: () => openLmdbVault(join(dir, 'store'), { onFatal }),
    clear: async () => rmSync(join(dir, 'store'), { recursive: true, force: true }),
  });
});

test('commits that come together become durable together', async () => {
  const store = await openLmdbVault(join(dir, 'batch'), { onFatal });
  const writes = Array.from({ length: 500 }, (_, i) => store.commit([{ path: `p/${i}`, value: Buffer.from('x') }]));
  const revisions = (await Promise.all(writes)).map((one) => (one as { revision: number }).revision);
  expect(new Set(revisions).size).toBe(500);
  expect((await store.list('p/', null, 1000)).length).toBe(500);
  await store.close();
});

test('a full disk refuses what grows and takes what deletes', async () => {
  const roomy = await openLmdbVault(join(dir, 'full'), { onFatal });
  await roomy.commit([{ path: 'a', value: Buffer.from('x') }]);
  await roomy.close();
  const store = await openLmdbVault(join(dir, 'full'), { onFatal, freeBytesMin: Number.MAX_SAFE_INTEGER });
  await expect(store.commit([{ path: 'b', value: Buffer.from('x') }])).rejects.toThrow(StorageFull);
  expect(await store.commit([{ path: 'a', value: undefined }])).toMatchObject({ ok: true });
  await store.close();
});
