import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Corruption, StorageFull } from '#storage/fault.ts';
import { openFileVault } from '#storage/vault/file.ts';
import { storeCases } from './store.cases.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-vault-file-'));

const onFatal = (error: Error): never => {
  throw error;
};

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('file', () => {
  const file = join(dir, 'vault.json');
  storeCases({
    open: () => openFileVault(file, { onFatal }),
    clear: async () => rmSync(file, { force: true }),
  });
});

test('a torn or changed file is refused, wherever it was cut; the file is for its owner only', async () => {
  const file = join(dir, 'torn.json');
  const store = await openFileVault(file, { onFatal });
  await store.commit([{ path: 'a', value: Buffer.from('x') }]);
  await store.close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const whole = readFileSync(file);
  for (let bytes = 0; bytes < whole.length; bytes++) {
    writeFileSync(file, whole.subarray(0, bytes));
    await expect(openFileVault(file, { onFatal })).rejects.toThrow(Corruption);
  }
  for (let at = 0; at < whole.length; at++) {
    const flipped = Buffer.from(whole);
    flipped[at]! ^= 1;
    writeFileSync(file, flipped);
    await expect(openFileVault(file, { onFatal })).rejects.toThrow(Corruption);
  }
});

test('what a crash left of a write is no part of the store', async () => {
  const file = join(dir, 'left.json');
  const store = await openFileVault(file, { onFatal });
  await store.commit([{ path: 'a', value: Buffer.from('x') }]);
  await store.close();
  writeFileSync(`${file}.new`, 'half');
  const again = await openFileVault(file, { onFatal });
  expect((await again.get('a'))!.value.toString()).toBe('x');
  await again.close();
});

test('where there is no room, the store stays as it was, and so does what counts on the write', async () => {
  const file = join(dir, 'full.json');
  const store = await openFileVault(file, { onFatal });
  symlinkSync('/dev/full', `${file}.new`);
  const first = store.commit([{ path: 'a', value: Buffer.from('x') }]);
  await Promise.resolve(); // it is on its way
  const second = store.commit([{ path: 'a', value: Buffer.from('y'), expect: 1 }]);
  await expect(first).rejects.toThrow(StorageFull);
  await expect(second).rejects.toThrow(StorageFull);
  expect(await store.get('a')).toBe(undefined);
  expect(await store.commit([{ path: 'b', value: Buffer.from('z'), expect: 0 }])).toMatchObject({ ok: true });
  await store.close();
  const again = await openFileVault(file, { onFatal });
  expect((await again.list('', null, 10)).map(({ path }) => path)).toEqual(['b']);
  await again.close();
});

test('a sync that fails ends the process', async () => {
  const file = join(dir, 'unsynced.json');
  const fatal: string[] = [];
  const store = await openFileVault(file, { onFatal: ({ message }) => void fatal.push(message) });
  symlinkSync('/dev/null', `${file}.new`); // it takes writes, and no sync
  await expect(store.commit([{ path: 'a', value: Buffer.from('x') }])).rejects.toThrow('EINVAL');
  expect(fatal).toEqual([`${file} could not be synced`]);
});
