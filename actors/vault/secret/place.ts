/** The secret and the version that a request names. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';
import { nameOf, scopeOf } from '../caller/scope.ts';
import type { SecretPlace } from './secrets.ts';

export function placeOf(call: Call): SecretPlace | Refusal<'vault.bad_request'> {
  const scope = scopeOf(call);
  if (isRefusal(scope)) return scope;
  const name = nameOf(call);
  return isRefusal(name) ? name : { scope, name };
}

/** The path that policies are matched against. */
export function secretPath({ scope, name }: SecretPlace): string {
  return `secret/${scope}/${name}`;
}

/** `?version=N`, null when it is not given. */
export function versionOf(call: Call): number | null | Refusal<'vault.bad_request'> {
  const text = call.query.get('version');
  if (text === null) return null;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  return refuse('vault.bad_request', { message: 'version is a whole number from 1' });
}
