/** The storage backend that the platform file names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { durationMs } from '#config/values/duration.ts';
import type { Platform } from '#config/platform.ts';
import { vaultDatabase } from '#config/resolve-vault.ts';
import { openEtcdVault, openFileVault, openLmdbVault, openPostgresVault } from '#actors/vault/store.ts';
import type { EtcdUser, VaultStore } from '#actors/vault/store.ts';

export function openVaultStore(
  platform: Pick<Platform, 'storage' | 'vault'>,
  onFatal: (error: Error) => void,
): Promise<VaultStore> {
  const { vault, storage } = platform;
  const { backend } = vault;
  if (backend.kind === 'lmdb') return openLmdbVault(backend.dir, { onFatal, freeBytesMin: storage.free_bytes_min });
  if (backend.kind === 'file') return openFileVault(join(backend.dir, 'vault.json'), { onFatal });
  const { endpoints, prefix, timeout, tls } = backend;
  // What a platform file must say was looked at as it was loaded.
  if (backend.kind === 'postgres')
    return openPostgresVault({ ...vaultDatabase(platform)!, answerMs: durationMs(timeout), prefix });
  const pem = (file: string | undefined) => (file === undefined ? undefined : readFileSync(file, 'utf8'));
  const [ca, cert, key] = [pem(tls?.ca), pem(tls?.cert), pem(tls?.key)];
  const texts = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  const user = userOf(backend);
  const given = { ...(tls !== undefined && { tls: texts }), ...(user !== undefined && { user }) };
  return Promise.resolve(openEtcdVault({ endpoints, prefix, timeoutMs: durationMs(timeout), ...given }));
}

/** The etcd user, if one is configured. Throws where its password is missing. */
function userOf({ user, password: { file, env } }: Platform['vault']['backend']): EtcdUser | undefined {
  if (user === undefined) return undefined;
  const text = file === undefined ? process.env[env!] : readFileSync(file, 'utf8');
  const password = text?.replace(/\r?\n$/, '') ?? '';
  if (password !== '') return { name: user, password };
  throw new Error(
    `vault.backend.password: ${file ?? `the environment's ${env}`} holds none\n    write the password of ${user} there`,
  );
}
