/** What a login says of its passkey: the signature counter, whether it is backed up, when it was used (WebAuthn §6.1.1, §6.1.3). */
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Identity } from '../identity.ts';
import { putUse, readUse, type PasskeyRecord } from './store.ts';
import type { Verified } from './verify.ts';

/**
 * Whether the authenticator can be the one that was registered. A counter that does not grow means that there is a copy of it: the login is refused,
 * the bus is told, and the passkey's user sees it in the list. Call it after the signature was found right: else a stranger could raise the alarm.
 */
export function isFaithful(identity: Identity, call: Call, passkey: PasskeyRecord, verified: Verified): boolean {
  if (verified.deviceType !== passkey.device_type) return false;
  const use = readUse(call.turn(), passkey.id);
  const counts = verified.counter > 0 || use.counter > 0;
  if (!counts || verified.counter > use.counter) return true;
  const data = { passkey: passkey.id, counter: verified.counter, last_counter: use.counter };
  identity.emit(call, 'auth.passkey.clone_suspected', passkey.user, 'invalid_credentials', data);
  putUse(call.turn(), passkey.id, { ...use, cloned_at: timestamp(call.now) });
  call.commit();
  return false;
}

/** Stages the use. */
export function noteUse(call: Call, passkey: PasskeyRecord, { counter, backedUp }: Verified): void {
  const { cloned_at } = readUse(call.turn(), passkey.id);
  putUse(call.turn(), passkey.id, { counter, backed_up: backedUp, last_used_at: timestamp(call.now), cloned_at });
}
