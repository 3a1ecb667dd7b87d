/** Identity's own order of checks (docs/contract/common.md §3.3): whether there is a credential, what its scheme needs, the position. */
import type { Call } from '#actors/host/call.ts';
import { principalOf } from '#actors/host/service-kit.ts';
import { apiKeyOf, parseApiKey } from '#actors/kit/api-key.ts';
import { bearerToken } from '#actors/kit/bearer.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import type { credentialHere } from './credential.ts';
import type { Identity } from './identity.ts';
import { isOutOfBounds } from './deploy/deployer.ts';
import { keyGuardOf } from './key/key-guard.ts';
import { inactivePlace, missingPlace, unusablePlace } from './place.ts';
import { presentKey } from './present-key.ts';
import { challenge, refuse } from './refusals.ts';
import { routes } from './routes.ts';

/**
 * The principal of a call, or the refusal of its credential; null on a route where a credential is optional. The exchange takes ApiKey only, the
 * other routes take both schemes. A bearer without a position passes: its body is judged before the missing position is.
 */
export function authenticate(identity: Identity, call: Call): Principal | null | Refusal {
  if (call.route.row.callers.auth === 'optional') return null; // the handler judges the credential
  // By its path: a node that keeps an audit log serves a copy of the row, which asks for the caller's address as well.
  const exchange = call.route.row.path === routes.exchangeKey.path;
  const outcome = credentialOf(identity, call, exchange);
  if (exchange && isRefusal(outcome)) tellFailedExchange(identity, call, outcome);
  return outcome;
}

function credentialOf(identity: Identity, call: Call, exchange: boolean): Principal | Refusal {
  return exchange && apiKeyOf(call.authorization) === null
    ? challenge('apikey_required')
    : shownCredential(identity, call);
}

/** A tenant that is not active is 500 on the routes of the contract's tables, and 403 on the others, which say so in their rows. */
function nowhere(call: Call) {
  return call.route.row.refusals.includes('tenant_inactive') ? inactivePlace(call) : unusablePlace(call);
}

/** What `shownCredential` refuses. */
export type CredentialRefusal = Refusal<(typeof credentialHere)[number] | 'engine_unavailable'>;

/** The principal of the credential that the call shows, a key or a bearer. */
export function shownCredential(identity: Identity, call: Call): Principal | CredentialRefusal {
  const key = apiKeyOf(call.authorization);
  if (key !== null) return byKey(identity, call, key);
  return bearerToken(call.authorization) === null ? challenge('auth_required') : byBearer(identity, call);
}

function byKey(identity: Identity, call: Call, key: string): Principal | CredentialRefusal {
  if (missingPlace(call) !== null) return challenge('no_tenant');
  const unusable = nowhere(call);
  if (unusable !== null) return unusable;
  const { position } = call.activation;
  const now = identity.context.clock.now();
  const address = call.header(CALLER_IP) ?? '';
  const presented = presentKey(call.turn(), position.key, key, now, address);
  if (presented === null) return challenge('invalid_api_key');
  const { principal, fromElsewhere, perSecond } = presented;
  if (fromElsewhere) return refuseFromElsewhere(call, principal.subject, address, now);
  if (perSecond !== null && !keyGuardOf(call.activation).mayPresent(principal.subject, perSecond, now))
    return tooOften(perSecond);
  if (isOutOfBounds(principal, call.route.row.callers)) return challenge('invalid_api_key');
  identity.noteUse(call.activation, principal.subject);
  return principal;
}

/** The answer of an unknown key; a seldom line tells the operator why, since the caller must not learn it. */
function refuseFromElsewhere(call: Call, keyId: string, address: string, nowMs: number): Refusal<'invalid_api_key'> {
  const { context, position } = call.activation;
  if (keyGuardOf(call.activation).mayLog(keyId, nowMs))
    context.log.warn(
      { service: 'identity', tenant: position.key, keyId, address },
      'a valid API key was refused: the address is not on its list; if the caller is yours, issue a key with that address, else revoke this one',
    );
  return challenge('invalid_api_key');
}

/** 429 as the door gives it (docs/contract/identity.md §7.3). */
function tooOften(perSecond: number): Refusal<'rate_limited'> {
  const seconds = Math.max(1, Math.ceil(1 / perSecond));
  return refuse('rate_limited', {
    message: 'the key was presented more often than its rate allows',
    details: { profile: 'key', retry_after_seconds: seconds },
    headers: retryAfter(seconds),
  });
}

function byBearer(identity: Identity, call: Call): Principal | CredentialRefusal {
  const anywhere = identity.bearer.verify(call.authorization);
  if (anywhere === null) return challenge('invalid_token');
  if (missingPlace(call) !== null) return anywhere;
  const unusable = nowhere(call);
  if (unusable !== null) return unusable;
  return principalOf(call, identity.bearer) ?? challenge('invalid_token');
}

/** Records a failed exchange with its cause; the caller gets one answer for every cause (docs/contract/identity.md §8.1). */
function tellFailedExchange(identity: Identity, call: Call, { code }: Refusal): void {
  const keyId = parseApiKey(apiKeyOf(call.authorization) ?? '')?.id ?? '';
  const audience = call.query.get('audience');
  identity.emit(call, 'auth.token_exchange.before', keyId, '');
  identity.emit(call, 'auth.apikey.exchange_failed', keyId, code, { audience, scope: [] });
  identity.emit(call, 'auth.token_exchange.after', keyId, code);
}
