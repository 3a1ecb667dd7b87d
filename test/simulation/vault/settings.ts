/** What a run of the vault is like, by its seed. */
import { Random } from '#test/kit/random.ts';
import type { Bounds } from '#test/simulation/node/settings.ts';

export interface VaultRunSettings extends Bounds {
  readonly seed: number;
  readonly clients: number;
  /** Names of secrets, each of the node and of a tenant. */
  readonly names: number;
  readonly backend: 'file' | 'lmdb';
  readonly seal: 'key' | 'shamir';
  readonly shares: { readonly shares: number; readonly threshold: number };
  /** Whether records of the audit log take their time. */
  readonly awaitsAudit: boolean;
  /** Whether syncs may fail. */
  readonly hasDiskFaults: boolean;
}

export function vaultSettingsOf(seed: number, { turns, falls }: Bounds): VaultRunSettings {
  const random = new Random(seed ^ 0x7a017);
  const threshold = 2 + random.below(2);
  return {
    seed,
    clients: 1 + random.below(5),
    names: 1 + random.below(4),
    backend: random.pick(['file', 'file', 'lmdb']),
    seal: random.pick(['key', 'shamir']),
    shares: { threshold, shares: threshold + random.below(2) },
    awaitsAudit: random.chance(0.5),
    turns: Math.min(turns, 8 + random.below(52)),
    falls: Math.min(falls, random.below(5)),
    hasDiskFaults: random.chance(0.7),
  };
}
