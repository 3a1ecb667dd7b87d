/** `key ring rotate`: a new signing key; keys whose last token has expired leave the ring. Spec: docs/contract/identity.md §3.3. */
import type { Work } from '#actors/host/work.ts';
import { createSigningKey } from '../create-signing-key.ts';
import type { VaultKey } from '../create-signing-key.ts';
import { commitAndTell } from '../identity.ts';
import type { Identity } from '../identity.ts';
import { deleteSigningKey, readSigningKeys } from '../store.ts';
import { livingKeys } from './living-keys.ts';

export interface Rotated {
  /** The key that signs from now on. */
  readonly kid: string;
  /** How many keys verify, the new one included. */
  readonly verifying: number;
  /** Kids that left the ring. */
  readonly removed: readonly string[];
  /** Secrets of the vault that held keys among them: the caller has them destroyed. */
  readonly secrets: readonly string[];
}

/** On the control plane; `made` is a key that the vault has made for it, null where the ring lies in the store; the caller shares the ring with every thread afterwards. */
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
