/** Who asks: a bearer token, or the product's static key on the routes that take it (docs/contract/data.md §3). */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Call } from '#actors/host/call.ts';
import type { BearerOf } from '#actors/host/service-kit.ts';
import type { Position } from '#actors/protocol/position.ts';
import { principalOf, type Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { isMirror } from './mirror.ts';
import { refuse } from './refusals.ts';

/** Tickets in place of a credential (docs/contract/changes.md §9). */
export interface Exchange {
  /** Gives the call the credential that its ticket stands for; false where none counts. */
  exchange(call: Call): boolean;
}

/**
 * The caller, null for an anonymous caller of the mirror, or the plain 401: no credential, one of another kind, an invalid or expired token,
 * one that does not count here.
 */
export function authenticate(call: Call, bearerOf: BearerOf, tickets: Exchange): Principal | null | Refusal {
  if (isMirror(call.route.row)) return /^apikey(?: |$)/i.test(call.authorization) ? refuse('unauthorized') : null;
  if (call.authorization !== '') return byBearer(call, bearerOf);
  if (call.route.row.ticketed === true && tickets.exchange(call)) return byBearer(call, bearerOf);
  const { position, product } = call.activation;
  const key = takesStaticKey(call) ? call.header('x-api-key') : undefined;
  if (key === undefined) return call.route.row.callers.auth === 'optional' ? null : refuse('unauthorized');
  return staticPrincipal(key, product, position) ?? refuse('unauthorized');
}

/** The three routes that take `X-Api-Key` in place of a token say so in their rows. */
function takesStaticKey({ method, route }: Call): boolean {
  return route.row.callers.static.includes(method === 'HEAD' ? 'GET' : (method as Method));
}

function byBearer(call: Call, bearerOf: BearerOf): Principal | Refusal {
  const principal = bearerOf(call);
  if (principal === null) return refuse('unauthorized');
  return principal.readonly && call.route.row.callers.touches ? refuse('v2.forbidden') : principal;
}

function staticPrincipal(key: string, product: ProductDefinition, position: Position): Principal | null {
  const declared = product.settings.static_api_key;
  if (declared === undefined || !isSameSecret(key, declared.secret)) return null;
  return principalOf({ type: 'static', subject: 'static', tenant: position.key, roles: declared.roles });
}

/** Digests have one length, so that neither it nor the first difference shows in the time. */
function isSameSecret(given: string, secret: string): boolean {
  return secret !== '' && timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}
