/** The platform's vault keys as this room takes them. */

export interface VaultSettings {
  readonly profile: 'production' | 'development';
  readonly mode: string;
  readonly datacenter: string;
  readonly cluster: string;
  readonly sid: string;
  readonly trustDomain: string;
  /** Whether the listener speaks TLS. */
  readonly tls: boolean;
  readonly backend: 'lmdb' | 'file' | 'etcd' | 'postgres';
  readonly sealKind: 'key' | 'shamir';
}
