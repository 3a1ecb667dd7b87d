/** The backend that the platform names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { durationMs } from '#config/duration.ts';
import type { Platform } from '#config/platform.ts';
import { openEtcdVault, openFileVault, openLmdbVault } from '#actors/vault/store.ts';
import type { VaultStore } from '#actors/vault/store.ts';

export function openVaultStore({ vault, storage }: Platform, onFatal: (error: Error) => void): Promise<VaultStore> {
  const { backend } = vault;
  if (backend.kind === 'lmdb') return openLmdbVault(backend.dir, { onFatal, freeBytesMin: storage.free_bytes_min });
  if (backend.kind === 'file') return openFileVault(join(backend.dir, 'vault.json'));
  const { endpoints, prefix, timeout, tls } = backend;
  const pem = (file: string | undefined) => (file === undefined ? undefined : readFileSync(file, 'utf8'));
  const [ca, cert, key] = [pem(tls?.ca), pem(tls?.cert), pem(tls?.key)];
  const texts = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  return Promise.resolve(
    openEtcdVault({ endpoints, prefix, timeoutMs: durationMs(timeout), ...(tls !== undefined && { tls: texts }) }),
  );
}
