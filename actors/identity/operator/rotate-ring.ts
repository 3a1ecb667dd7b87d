/** `key ring rotate`: makes a new signing key, and removes keys whose last token has expired. Spec: docs/contract/identity.md §3.3. */
import type { Work } from '#actors/host/work.ts';
import { createSigningKey, type VaultKey } from '../create-signing-key.ts';
import { commitAndTell, type Identity } from '../identity.ts';
import { deleteSigningKey, readSigningKeys } from '../store.ts';
import { livingKeys } from './living-keys.ts';

export interface Rotated {
  /** The key that signs from now on. */
  readonly kid: string;
  /** How many keys verify, the new one included. */
  readonly verifying: number;
  /** Kids of the removed keys. */
  readonly removed: readonly string[];
  /** Secrets of the vault that hold removed keys: the caller has the vault destroy them. */
  readonly secrets: readonly string[];
}

/** The work is the control plane's; `made` is a key from the vault, null where the ring is in the store. The caller then gives the ring to all threads. */
export function rotateRing(identity: Identity, work: Work, made: VaultKey | null): Rotated {
  const turn = work.turn();
  const { kid } = createSigningKey(turn, work.activation.context, made);
  const records = readSigningKeys(turn);
  const living = new Set(livingKeys(records, work.activation.context.clock.now()).map((record) => record.kid));
  const gone = records.filter((record) => !living.has(record.kid));
  const removed = gone.map((record) => record.kid);
  for (const old of removed) deleteSigningKey(turn, old);
  commitAndTell(identity, work, { action: 'auth.keyring.rotated', actor: 'operator', target: kid, data: { removed } });
  return { kid, verifying: living.size, removed, secrets: gone.flatMap(({ vault }) => vault ?? []) };
}
