/** First steps of both routes: the position, then the provider in the path. */
import type { OAuthProvider } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { refuse } from '../refusals.ts';

export interface Declared {
  readonly kind: 'declared';
  readonly name: string;
  readonly provider: OAuthProvider;
  /** Hosts that may be reached besides the issuer's. */
  readonly hosts: readonly string[];
}

export function providerOf(
  call: Call,
): Declared | Refusal<'no_tenant' | 'invalid tenant' | 'tenant_inactive' | 'unknown_provider'> {
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const { settings } = call.activation.product;
  const providers = settings.oauth?.providers ?? {};
  const name = call.param('provider');
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (provider === undefined) return refuse('unknown_provider');
  return { kind: 'declared', name, provider, hosts: [...(provider.hosts ?? []), ...(settings.outbound?.hosts ?? [])] };
}
