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

test('a key whose bytes were altered signs nothing and changes no public key; one of an earlier release is good', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-keys-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'a.pem');
  const key = await keyFiles(dir).signingKey('a');
  const text = readFileSync(path, 'utf8');
  const beside = readFileSync(join(dir, 'a.pub.pem'), 'utf8');
  const at = text.indexOf('\n-----END') - 8;
  writeFileSync(path, `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`);
  await expect(keyFiles(dir).signingKey('a')).rejects.toThrow(`${path} is damaged`);
  expect(readFileSync(join(dir, 'a.pub.pem'), 'utf8')).toBe(beside);
  // Keys of another program have no sum, and may end in empty lines.
  for (const end of ['', '\n', '\r\n']) {
    writeFileSync(path, `${key.export({ format: 'pem', type: 'pkcs8' }).toString()}${end}`);
    expect((await keyFiles(dir).signingKey('a')).equals(key)).toBe(true);
  }
});
