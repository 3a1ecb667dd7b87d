/** `key rotate --grace`: a new key with the capabilities of an old one, which expires after the grace. Spec: docs/contract/identity.md §10.5. */
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { instantMs } from '#config/values/instant.ts';
import { commitAndTell, type Identity } from '../identity.ts';
import { newKey } from '../new-key.ts';
import { putKey, type ApiKeyRecord } from '../store.ts';
import { keyOf } from './keys.ts';

export interface RotateWish {
  readonly id: string;
  /** For how long the old key stays valid, in milliseconds. */
  readonly grace_ms: number;
}

export interface RotatedKey {
  readonly id: string;
  /** The only place where the new plaintext exists. */
  readonly key: string;
  readonly expires_at: string;
  readonly replaces: string;
  readonly old_expires_at: string;
}

/**
 * Writes both rows in one turn, so that a crash cannot leave callers without a key. The new key lives as long as the old one was issued for. No
 * hook runs: hooks judge callers, not operators. Throws an error for the operator for a key that is unknown, has expired, or was rotated before: the
 * rest of its life is a grace period, which must not become the life of its successor.
 */
export function rotateKey(identity: Identity, work: Work, { id, grace_ms }: RotateWish): RotatedKey {
  const { context } = work.activation;
  const old = keyOf(work, id);
  const now = context.clock.now();
  const ends = instantMs(old.expiresat);
  if (!(now < ends)) throw new Error(`the key ${id} has expired: issue a new one`);
  if (old.replaced_by !== undefined)
    throw new Error(`the key ${id} was rotated already, and counts for its grace only: rotate ${old.replaced_by}`);
  const made = newKey(context, { service: old.service, capabilities: old.capabilities, createdBy: old.created_by });
  const expires_at = timestamp(now + ends - instantMs(old.created_at));
  const old_expires_at = timestamp(Math.min(ends, now + grace_ms));
  const turn = work.turn();
  putKey(turn, made.id, { ...made.record, ...boundsOf(old), expiresat: expires_at });
  putKey(turn, id, { ...old, expiresat: old_expires_at, replaced_by: made.id });
  const data = { replaces: id, old_expires_at, expires_at };
  commitAndTell(identity, work, { action: 'auth.apikey.rotated', actor: 'operator', target: made.id, data });
  return { id: made.id, key: made.key, expires_at, replaces: id, old_expires_at };
}

/** What a successor has from the old key besides its capabilities. */
function boundsOf({ name, metadata, ips, per_second }: ApiKeyRecord): Partial<ApiKeyRecord> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(ips === undefined ? {} : { ips }),
    ...(per_second === undefined ? {} : { per_second }),
  };
}
