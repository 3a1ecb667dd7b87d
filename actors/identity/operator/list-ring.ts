/** `key ring list`: the keys that sign and verify this node's tokens, without private keys. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { readSigningKeys } from '../store.ts';
import { endOfLife } from './living-keys.ts';

export interface SigningKeyView {
  readonly kid: string;
  /** `expired`: every token that it signed has expired; the next rotation removes it. */
  readonly state: 'signs' | 'verifies' | 'expired';
  readonly created_at: string;
  /** When the last token that it signed expires; null for the key that signs. */
  readonly verifies_until: string | null;
  readonly held_in: 'vault' | 'store';
}

/** Newest first, at most as many as the JWKS has. The work is the control plane's. */
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
