/** A vault in the database of a log, as the nodes of a pair have it, and what an operator puts there; no node need run. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_SCOPE } from '#actors/vault/caller/scope.ts';
import { inVault } from '#runtime/cluster/in-vault.ts';
import { freePort } from './free-port.ts';
import type { PairMachine } from './node-pair.ts';
import { platformOf } from './platform-of.ts';

/** Writes a root key below `root`, and gives its path. */
export function writeRootKey(root: string, name = 'root.key'): string {
  const file = join(root, name);
  writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 });
  return file;
}

/** Lines of a platform file. `backend`: where the secrets lie. */
export async function vaultLines(rootKey: string, backend = 'postgres'): Promise<string> {
  const seal = `seal: { current: { file: ${rootKey} } }`;
  return `vault: { enabled: true, profile: development, port: ${await freePort()}, pki: { listen: false }, ${seal}, backend: { kind: ${backend} } }\n`;
}

/** Changes the file of a machine. */
export function rewrite({ file }: PairMachine, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

/** Puts a secret of the node there. */
export async function putSecret({ file }: PairMachine, name: string, value: string): Promise<void> {
  await inVault(
    platformOf(file),
    ({ secrets }) => secrets.write({ scope: NODE_SCOPE, name }, Buffer.from(value), 'test', null),
    true,
  );
}

/** Destroys it. */
export async function removeSecret({ file }: PairMachine, name: string): Promise<void> {
  const wish = { destroy: true, version: null };
  await inVault(platformOf(file), ({ secrets }) => secrets.remove({ scope: NODE_SCOPE, name }, 'test', wish));
}
