/** The owner of a secret: a tenant, by its key, or the node. */
import type { Call } from '#actors/host/call.ts';
import { positionOf } from '#actors/protocol/position.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { limits } from '#config/limits.ts';
import { refuse } from '../refusals.ts';

/** Cannot be a tenant key: those have four segments. */
export const NODE_SCOPE = '_node';

const NAME = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/;

/** The tenant key of the four headers, or `_node` when all are absent; 400 when some are absent or one is malformed. */
export function scopeOf(call: Call): string | Refusal<'vault.bad_request'> {
  const [customer, product, env, tenant] = SCOPE_HEADERS.map((name) => call.header(name) ?? '');
  if (`${customer}${product}${env}${tenant}` === '') return NODE_SCOPE;
  const position = positionOf(customer!, product!, env!, tenant!);
  if (position !== null) return position.key;
  const message = 'name a tenant by all four headers X-Customer, X-Product, X-Env and X-Tenant, or none of them';
  return refuse('vault.bad_request', { message });
}

const SCOPE_HEADERS = ['x-customer', 'x-product', 'x-env', 'x-tenant'] as const;

/** Whether a secret may have this name (docs/contract/vault.md §4.2: letters, digits, `.`, `_`, `-`, with `/` between). */
export function isName(text: string): boolean {
  return text.length <= limits.vault.nameCharsMax && NAME.test(text);
}

/** The name in a path; 400 for one that no secret can have. */
export function nameOf(call: Call): string | Refusal<'vault.bad_request'> {
  const name = call.param('name');
  if (isName(name)) return name;
  const message = `a secret's name has letters, digits, . _ and -, with / between (as %2F), at most ${limits.vault.nameCharsMax}`;
  return refuse('vault.bad_request', { message });
}
