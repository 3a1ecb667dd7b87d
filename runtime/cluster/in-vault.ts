/**
 * The vault without its thread, for a node that waits and for a command: its store is asked directly, and the root key is in memory for as long as one call takes. What is read so is in no audit log.
 */
import { randomBytes } from 'node:crypto';
import type { Platform } from '#config/platform.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { NODE_SCOPE } from '#actors/vault/caller/scope.ts';
import { Barrier } from '#actors/vault/seal/barrier.ts';
import { Seal } from '#actors/vault/seal/seal.ts';
import { Secrets } from '#actors/vault/secret/secrets.ts';
import type { VaultStore } from '#actors/vault/store.ts';
import { rootKey } from '#runtime/threads/vault-settings.ts';
import { openVaultStore } from '#runtime/threads/vault-store.ts';

type Settings = Pick<Platform, 'storage' | 'vault'>;

export interface OpenVault {
  readonly barrier: Barrier;
  readonly secrets: Secrets;
}

/** Opens a vault that has a root key for one call. `begins`: one that no node has opened yet gets this root key; else the call rejects. Rejects as `rootKey`, `Seal.unseal`, and with BackendDown. */
export async function inVault<T>(
  platform: Settings,
  run: (vault: OpenVault) => Promise<T>,
  begins = false,
): Promise<T> {
  const store = await vaultStoreOf(platform);
  try {
    return await unsealed(platform, store, run, begins);
  } finally {
    await store.close();
  }
}

/** The store of a vault in PostgreSQL or etcd; the caller closes it. */
export function vaultStoreOf(platform: Settings): Promise<VaultStore> {
  return openVaultStore(platform, (error) => {
    throw error;
  });
}

/** Likewise on a store that stays open. */
export async function unsealed<T>(
  { vault }: Pick<Platform, 'vault'>,
  store: VaultStore,
  run: (vault: OpenVault) => Promise<T>,
  begins = false,
): Promise<T> {
  const [current, previous] = [rootKey(vault, 'current')!, rootKey(vault, 'previous')];
  const seal = new Seal(store, 'sealed');
  const barrier = new Barrier({ store, seal, random: randomBytes });
  try {
    if (!begins && (await seal.record()) === null) throw new Error(EMPTY);
    await seal.unseal(current, previous);
    return await run({ barrier, secrets: new Secrets({ store, barrier, clock: systemClock, random: randomBytes }) });
  } finally {
    barrier.forget();
    seal.seal();
    current.fill(0);
    previous?.fill(0);
  }
}

const EMPTY =
  'no node has opened the vault yet\n    start the node that serves; where it does, its vault is another one: vault.backend has to be the same on every node';

/** The secrets of the node with these names. Rejects, naming it, where one is not there; and as `inVault`. The vault is not asked where there is no name. */
export async function secretsOf(platform: Settings, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return names.length === 0 ? new Map() : inVault(platform, ({ secrets }) => readSecrets(secrets, names));
}

/** Likewise in an open vault. */
export async function readSecrets(secrets: Secrets, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const name of names) {
    const secret = await secrets.read({ scope: NODE_SCOPE, name }, null);
    if (secret === null || !('value' in secret))
      throw new Error(`vault:${name} is not in the vault\n    write it: skep vault put ${name}`);
    found.set(name, secret.value.toString('utf8'));
    secret.value.fill(0);
  }
  return found;
}
