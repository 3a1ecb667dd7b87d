/** A new token signing key in the control plane's keyring. Used by provisioning and by rotation. */
import type { Context } from '#actors/host/activation.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import type { KeyRecord } from '#actors/kit/token/ring.ts';
import { putSigningKey } from './store.ts';
import type { Turn } from './store.ts';

/** Stages the key in a turn on the control plane's store. The newest key of a ring signs. */
export function createSigningKey(turn: Turn, source: Pick<Context, 'clock' | 'random'>): KeyRecord {
  const record = newSigningKey(source);
  putSigningKey(turn, record);
  return record;
}
