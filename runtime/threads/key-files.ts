/**
 * Signing keys in files, where no vault holds them: PKCS#8 PEM of mode 0600, with the public key beside each. Most altered bytes of a PEM make
 * another key out of it, which would sign and not be noticed; so a line behind it, which readers of PEM skip, has its SHA-256.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory, syncDirectory } from '#storage/directory.ts';
import type { KeyPort } from '#actors/audit/key-port.ts';

/** Keys under a directory, by the paths that they would have in a vault. */
export function keyFiles(directory: string): KeyPort {
  return { signingKey: async (path) => readOrMake(join(directory, `${path}.pem`)) };
}

function readOrMake(file: string): KeyObject {
  if (!existsSync(file)) make(file);
  const key = createPrivateKey(checked(file, readFileSync(file, 'utf8')));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is no Ed25519 key in PKCS#8 PEM`);
  publish(file, key);
  return key;
}

const END = '-----END PRIVATE KEY-----\n';
const lineOf = (pem: string): string => `sha256 ${hash('sha256', pem, 'hex')}\n`;

/** The PEM of a file's text. A key of an earlier release, or of another program, has nothing behind it but empty lines. */
function checked(file: string, text: string): string {
  const end = text.indexOf(END);
  const pem = end === -1 ? text : text.slice(0, end + END.length);
  const behind = text.slice(pem.length);
  if (behind.trim() === '' || behind === lineOf(pem)) return pem;
  throw new Error(`${file} is damaged: its bytes are not those that were written\n    put it back from a backup`);
}

/** Writes the public key beside its key where it is missing or another one, as after a power cut. */
function publish(file: string, key: KeyObject): void {
  const path = file.replace(/\.pem$/, '.pub.pem');
  const text = createPublicKey(key).export({ format: 'pem', type: 'spki' });
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  writeFileSync(`${path}.new`, text, { mode: 0o644, flush: true });
  renameSync(`${path}.new`, path);
  syncDirectory(dirname(path));
}

/** Makes a key file, whole or not at all: a key that has signed must never be replaced by a new one. */
function make(file: string): void {
  makeDirectory(dirname(file));
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  writeFileSync(`${file}.new`, pem + lineOf(pem), { mode: 0o600, flush: true });
  linkSync(`${file}.new`, file);
  rmSync(`${file}.new`);
  syncDirectory(dirname(file));
}
