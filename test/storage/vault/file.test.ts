import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Corruption } from '#storage/fault.ts';
import { openFileVault } from '#storage/vault/file.ts';
import { storeCases } from './store.cases.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-vault-file-'));

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('file', () => {
  const file = join(dir, 'vault.json');
  storeCases({
    open: () => openFileVault(file),
    clear: async () => rmSync(file, { force: true }),
  });
});

test('a torn or changed file is refused, wherever it was cut; the file is for its owner only', async () => {
  const file = join(dir, 'torn.json');
  const store = await openFileVault(file);
  await store.commit([{ path: 'a', value: Buffer.from('x') }]);
  await store.close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const whole = readFileSync(file);
  for (let bytes = 0; bytes < whole.length; bytes++) {
    writeFileSync(file, whole.subarray(0, bytes));
    await expect(openFileVault(file)).rejects.toThrow(Corruption);
  }
  for (let at = 0; at < whole.length; at++) {
    const flipped = Buffer.from(whole);
    flipped[at]! ^= 1;
    writeFileSync(file, flipped);
    await expect(openFileVault(file)).rejects.toThrow(Corruption);
  }
});

test('what a crash left of a write is no part of the store', async () => {
  const file = join(dir, 'left.json');
  const store = await openFileVault(file);
  await store.commit([{ path: 'a', value: Buffer.from('x') }]);
  await store.close();
  writeFileSync(`${file}.new`, 'half');
  const again = await openFileVault(file);
  expect((await again.get('a'))!.value.toString()).toBe('x');
  await again.close();
});
