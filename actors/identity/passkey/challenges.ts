/** Challenges of a tenant: given for five minutes, accepted once. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { challengeText, isOurs, readChallenge, userHandle } from './challenge.ts';
import type { Binding, Purpose, Shown } from './challenge.ts';
import { findSecret, isSpent, putSecret, putSpent } from './store.ts';

export type Bound = Omit<Binding, 'position'>;

/** The tenant's key; the first call of a tenant stages it. */
function keyOf(work: Work): Uint8Array {
  const present = findSecret(work.turn());
  if (present !== undefined) return present;
  const key = work.activation.context.random(limits.passkeys.secretBytes);
  putSecret(work.turn(), key);
  return key;
}

export function giveChallenge(work: Work, purpose: Purpose, bound: Bound): string {
  const { context, position } = work.activation;
  return challengeText(keyOf(work), {
    ...bound,
    purpose,
    position: position.key,
    expiresAtMs: context.clock.now() + limits.passkeys.challengeMs,
    nonce: context.random(limits.passkeys.nonceBytes),
  });
}

/** The challenge with its purpose, when it has the form of one and lives; what it is bound to is checked by `counts`. */
export function shownChallenge(work: Work, text: string): Shown | null {
  const shown = readChallenge(text);
  return shown !== null && work.activation.context.clock.now() < shown.expiresAtMs ? shown : null;
}

/** Whether it was given here for this, and has not counted yet. */
export function counts(work: Work, text: string, shown: Shown, bound: Bound): boolean {
  const binding = { ...bound, position: work.activation.position.key };
  return isOurs(keyOf(work), shown, binding) && !isSpent(work.turn(), text, shown.expiresAtMs);
}

/** Stages its end. Commit before any await. */
export function spend(work: Work, text: string, { expiresAtMs }: Shown): void {
  putSpent(work.turn(), text, expiresAtMs, work.activation.context.clock.now());
}

export function handleOf(work: Work, user: string): string {
  return userHandle(keyOf(work), user);
}
