/** Signing keys in files, until a vault holds them: PKCS#8 PEM of mode 0600, the public one beside it. */
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory, syncDirectory } from '#storage/directory.ts';
import type { KeyPort } from '#actors/audit/key-port.ts';

/** Keys under a directory, by their path in the vault. */
export function keyFiles(directory: string): KeyPort {
  return { signingKey: async (path) => readOrMake(join(directory, `${path}.pem`)) };
}

function readOrMake(file: string): KeyObject {
  if (!existsSync(file)) make(file);
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is no Ed25519 key in PKCS#8 PEM`);
  return key;
}

/** Whole or not at all: a key that has signed must never be made twice. */
function make(file: string): void {
  makeDirectory(dirname(file));
  const { privateKey } = generateKeyPairSync('ed25519');
  const text = privateKey.export({ format: 'pem', type: 'pkcs8' });
  const open = createPublicKey(privateKey).export({ format: 'pem', type: 'spki' });
  writeFileSync(file.replace(/\.pem$/, '.pub.pem'), open, { mode: 0o644 });
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  linkSync(`${file}.new`, file);
  rmSync(`${file}.new`);
  syncDirectory(dirname(file));
}
