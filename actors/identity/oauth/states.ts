/**
 * States of sign-ins that are not finished (RFC 6749 §10.12; RFC 7636): random, stored as SHA-256, valid for 10 minutes and one use, bound to
 * position and provider. A state's digest gives its slot, and a slot holds one state: so the table is bounded, and expired states are overwritten
 * without a sweep.
 */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { instantMs } from '#config/values/instant.ts';
import { newSecret, sameDigest, secretSha256 } from '#actors/kit/secret.ts';
import { deleteState, findState, putState, type StateRecord } from './store.ts';

const { stateSlots, stateDraws, stateMs, secretBytes } = limits.oauth;

export type StateWish = Pick<StateRecord, 'provider' | 'nonce' | 'code_verifier' | 'redirect_uri' | 'user_id' | 'link'>;

/** Stages a new state and gives its text; null when every slot that was drawn holds a living state. Commit in the same turn. */
export function openState(work: Work, wish: StateWish): string | null {
  const { context, position } = work.activation;
  const turn = work.turn();
  const now = context.clock.now();
  for (let draw = 0; draw < stateDraws; draw++) {
    const state = newSecret((bytes) => context.random(bytes), secretBytes);
    const digest = secretSha256(state);
    const present = findState(turn, slotOf(digest));
    if (present !== undefined && isAlive(present, now)) continue;
    const expiresAt = timestamp(now + stateMs);
    putState(turn, slotOf(digest), { ...wish, state_sha256: digest, position: position.key, expires_at: expiresAt });
    return state;
  }
  return null;
}

/** The record of a valid state of this position and provider, else null; the state stays valid. */
export function peekState(work: Work, provider: string, state: string): StateRecord | null {
  const { context, position } = work.activation;
  const digest = secretSha256(state);
  const record = findState(work.turn(), slotOf(digest));
  if (record === undefined || !sameDigest(digest, record.state_sha256)) return null;
  if (record.provider !== provider || record.position !== position.key) return null;
  return isAlive(record, context.clock.now()) ? record : null;
}

/** Spends the state and commits: of two callers at once one gets the record, the other null. */
export function takeState(work: Work, provider: string, state: string): StateRecord | null {
  const record = peekState(work, provider, state);
  if (record === null) return null;
  deleteState(work.turn(), slotOf(record.state_sha256));
  work.commit();
  return record;
}

function slotOf(digest: Uint8Array): number {
  return ((digest[0]! << 8) | digest[1]!) % stateSlots;
}

/** An expiry that cannot be read is NaN: the state counts as expired. */
function isAlive(record: StateRecord, nowMs: number): boolean {
  return nowMs < instantMs(record.expires_at);
}
