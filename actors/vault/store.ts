/** The only file of this room that imports the storage floor. */
export { openEtcdVault } from '#storage/vault/etcd.ts';
export type { EtcdUser } from '#storage/vault/etcd.ts';
export { openFileVault } from '#storage/vault/file.ts';
export { openLmdbVault } from '#storage/vault/lmdb.ts';
export { BackendDown } from '#storage/vault/port.ts';
export type { Change, VaultStore } from '#storage/vault/port.ts';
