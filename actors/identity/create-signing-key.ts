/** A new token signing key in the control plane's keyring. Used by provisioning and by rotation. */
import type { Context } from '#actors/host/activation.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { instantMs } from '#config/values/instant.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import { OWN_ISSUER, type KeyRecord } from '#actors/kit/token/ring.ts';
import { putSigningKey, readSigningKeys, type Turn } from './store.ts';

/** A key that the vault has made: identity stores its name and its place, never its bytes. */
export interface VaultKey {
  readonly kid: string;
  readonly vault: string;
}

/**
 * Stages the key in a turn on the control plane's store. The newest key of a ring signs, so this key is dated after every other one, even when
 * two are made within a millisecond or the clock was set back. `made` is a key of the vault; without it the key is made here and stored here.
 */
export function createSigningKey(
  turn: Turn,
  source: Pick<Context, 'clock' | 'random'>,
  made: VaultKey | null = null,
): KeyRecord {
  const newest = readSigningKeys(turn).reduce((last, { created_at }) => Math.max(last, instantMs(created_at)), 0);
  const clock = { now: () => Math.max(source.clock.now(), newest + 1) };
  const record =
    made === null
      ? newSigningKey({ clock, random: (bytes) => source.random(bytes) })
      : { ...made, issuer: OWN_ISSUER, private_pem: '', created_at: timestamp(clock.now()) };
  putSigningKey(turn, record);
  return record;
}
