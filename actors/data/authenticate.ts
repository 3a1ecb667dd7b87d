/** Who asks: a bearer token, or the product's static key on the routes that take it (docs/contract/data.md §3). */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Call } from '#actors/host/call.ts';
import { sessionGateOf } from '#actors/kit/session-gate.ts';
import type { SessionGate } from '#actors/kit/session-gate.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { isMirror } from './mirror.ts';
import { refuse } from './refusals.ts';

/** What BearerCheck gives: the principal that a header stands for at a position, or null. */
export interface Bearers {
  check(authorization: string, position: Position, sessions: SessionGate): Principal | null;
}

const unauthorized = (): Refusal => refuse('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });

/**
 * The caller, null for nobody on the mirror, or the plain 401: no credential, one of another kind, an invalid or expired token,
 * one that does not count here.
 */
export function authenticate(call: Call, bearers: Bearers): Principal | null | Refusal {
  if (isMirror(call.route.row)) return /^apikey(?: |$)/i.test(call.authorization) ? unauthorized() : null;
  if (call.authorization !== '') return byBearer(call, bearers);
  const { position, product } = call.activation;
  const key = takesStaticKey(call) ? call.header('x-api-key') : undefined;
  if (key === undefined) return call.route.row.callers.auth === 'optional' ? null : unauthorized();
  return staticPrincipal(key, product, position) ?? unauthorized();
}

/** The three routes that take `X-Api-Key` in place of a token say so in their rows. */
function takesStaticKey({ method, route }: Call): boolean {
  return route.row.callers.static.includes(method === 'HEAD' ? 'GET' : (method as Method));
}

function byBearer(call: Call, bearers: Bearers): Principal | Refusal {
  const { parts, position } = call.activation;
  const sessions = sessionGateOf(parts);
  const principal = bearers.check(call.authorization, position, sessions);
  if (principal !== null)
    return principal.readonly && call.route.row.callers.touches ? refuse('v2.forbidden') : principal;
  call.saw(sessions.newest); // a session may have ended a moment ago
  return unauthorized();
}

function staticPrincipal(key: string, product: ProductDefinition, position: Position): Principal | null {
  const declared = product.settings.static_api_key;
  if (declared === undefined || !isSameSecret(key, declared.secret)) return null;
  return {
    type: 'static',
    subject: 'static',
    tenant: position.key,
    roles: declared.roles,
    scope: [],
    superadmin: false,
    sid: null,
    actor: null,
    readonly: false,
    expiresAtMs: Infinity,
  };
}

/** Digests have one length, so that neither it nor the first difference shows in the time. */
function isSameSecret(given: string, secret: string): boolean {
  return secret !== '' && timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}
