/** `key ring list`: the keys that sign and verify this node's tokens; never a private one. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { readSigningKeys } from '../store.ts';
import { endOfLife } from './living-keys.ts';

export interface SigningKeyView {
  readonly kid: string;
  /** `expired` ones verify nothing that still lives, and leave with the next rotation. */
  readonly state: 'signs' | 'verifies' | 'expired';
  readonly created_at: string;
  /** When the last token that it signed has expired; null for the one that signs. */
  readonly verifies_until: string | null;
  readonly held_in: 'vault' | 'store';
}

/** Newest first, at most as many as are published. On the control plane. */
export function listRing(work: Work): readonly SigningKeyView[] {
  const records = readSigningKeys(work.turn()).sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
  const now = work.activation.context.clock.now();
  return records.slice(0, limits.identity.jwksKeysMax).map((record) => {
    const { kid, created_at, vault } = record;
    const until = endOfLife(record, records);
    const state = until === Infinity ? 'signs' : now < until ? 'verifies' : 'expired';
    const verifies_until = until === Infinity ? null : timestamp(until);
    return { kid, state, created_at, verifies_until, held_in: vault === undefined ? 'store' : 'vault' };
  });
}
