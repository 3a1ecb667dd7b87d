/** Signing keys in files: the public one beside its key is there, whole and the right one, after every start. */
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keyFiles } from '#runtime/threads/key-files.ts';

test('the public key is written again where it is empty, missing or another', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-keys-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const key = await keyFiles(dir).signingKey('audit/a/signing-key');
  const path = join(dir, 'audit/a/signing-key.pub.pem');
  const right = createPublicKey(key).export({ format: 'pem', type: 'spki' });
  expect(readFileSync(path, 'utf8')).toBe(right);
  for (const spoil of [() => writeFileSync(path, ''), () => rmSync(path), () => writeFileSync(path, 'another')]) {
    spoil();
    const again = await keyFiles(dir).signingKey('audit/a/signing-key');
    expect(again.equals(key)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe(right);
  }
});
