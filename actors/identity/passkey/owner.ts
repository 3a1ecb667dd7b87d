/** The user whose passkeys a call sees or changes: the user's own login, never an impersonation, a key or a service. */
import type { PasskeySettings } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { shownCredential, type CredentialRefusal } from '../authenticate.ts';
import { principalOf, type Identity } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { refuse } from '../refusals.ts';
import { findUser, type UserRecord } from '../store.ts';
import { passkeysOf } from './enabled.ts';

export interface Owner {
  readonly kind: 'owner';
  readonly user: UserRecord;
  readonly principal: Principal;
  readonly settings: PasskeySettings;
}

/** For registrations: the contract's 503 comes before everything else, so the credential is read here, after it. */
export function registrantOf(
  identity: Identity,
  call: Call,
): Owner | Refusal<'webauthn_disabled' | 'passkey_denied'> | CredentialRefusal {
  const settings = passkeysOf(call);
  if (settings === null) return refuse('webauthn_disabled');
  const principal = shownCredential(identity, call);
  if (isRefusal(principal)) return principal;
  call.principal = principal;
  return ownerBy(call, principal, settings);
}

export function ownerOf(call: Call): Owner | Refusal<'no_tenant' | 'webauthn_disabled' | 'passkey_denied'> {
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  const settings = passkeysOf(call);
  return settings === null ? refuse('webauthn_disabled') : ownerBy(call, principalOf(call), settings);
}

function ownerBy(call: Call, principal: Principal, settings: PasskeySettings): Owner | Refusal<'passkey_denied'> {
  call.involve({ target: principal.subject });
  if (!admits(call.route.row.callers, principal, null)) return refuse('passkey_denied');
  const user = findUser(call.turn(), principal.subject);
  return user === undefined || user.disabled_at !== undefined
    ? refuse('passkey_denied')
    : { kind: 'owner', user, principal, settings };
}
