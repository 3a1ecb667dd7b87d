/** The only file of this room that imports the storage floor. */
import type { VaultStore } from '#storage/vault/port.ts';
import type { PostgresVaultOptions } from '#storage/vault/postgres.ts';

export { openEtcdVault } from '#storage/vault/etcd.ts';
export type { EtcdUser } from '#storage/vault/etcd.ts';
export { openFileVault } from '#storage/vault/file.ts';
export { openLmdbVault } from '#storage/vault/lmdb.ts';
export type { PostgresVaultOptions } from '#storage/vault/postgres.ts';
export { BackendDown } from '#storage/vault/port.ts';
export type { Change, VaultStore } from '#storage/vault/port.ts';

/** Its client is loaded by vaults that lie there, and by no other one. */
export async function openPostgresVault(options: PostgresVaultOptions): Promise<VaultStore> {
  return (await import('#storage/vault/postgres.ts')).openPostgresVault(options);
}
