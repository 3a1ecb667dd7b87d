/** Configurations of providers for the OpenID client: discovered (OpenID Connect Discovery §4), then cached for an hour. One cache per thread. */
import type * as openid from 'openid-client';
import { limits } from '#config/limits.ts';
import type { OAuthProvider } from '#config/definitions/product.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { OutboundFault } from '#actors/kit/outbound/fault.ts';
import type { Outbound } from '#actors/kit/outbound/outbound.ts';

interface Known {
  readonly configuration: Promise<Configuration>;
  readonly atMs: number;
}

type Configuration = openid.Configuration;

export type OpenId = typeof openid;

/** The library, loaded on first use: most nodes have no provider. */
export function openId(): Promise<OpenId> {
  return import('openid-client');
}

export class Providers {
  readonly #outbound: Outbound;
  readonly #clock: Clock;
  /** By the provider's definition object: a product that is read again has new objects, so that nothing cached for the old ones is used. */
  readonly #known = new WeakMap<OAuthProvider, Known>();

  constructor(outbound: Outbound, clock: Clock) {
    this.#outbound = outbound;
    this.#clock = clock;
  }

  /**
   * The provider's configuration. Concurrent callers share one discovery; a failed one is not cached. `hosts` may be reached besides the issuer's
   * own (`outbound.hosts` of the product): some providers publish their keys elsewhere.
   */
  configuration(provider: OAuthProvider, hosts: readonly string[]): Promise<Configuration> {
    const known = this.#known.get(provider);
    if (known !== undefined && this.#clock.now() - known.atMs < limits.oauth.discoveryMs) return known.configuration;
    const configuration = this.#discover(provider, hosts);
    this.#known.set(provider, { configuration, atMs: this.#clock.now() });
    configuration.catch(() => this.#known.delete(provider));
    return configuration;
  }

  async #discover(provider: OAuthProvider, hosts: readonly string[]): Promise<Configuration> {
    const client = await openId();
    const issuer = new URL(provider.issuer);
    // The library must allow plain HTTP here; the outbound policy refuses it unless outbound.allow_private names the host.
    const insecure = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
    const configuration = await client.discovery(issuer, provider.client_id, undefined, client.None(), {
      [client.customFetch]: this.#fetchFor(issuer, hosts),
      execute: insecure,
    });
    const metadata = configuration.serverMetadata();
    const chosen = new client.Configuration(
      metadata,
      provider.client_id,
      undefined,
      authenticationOf(client, metadata.token_endpoint_auth_methods_supported)(provider.client_secret),
    );
    chosen[client.customFetch] = this.#fetchFor(issuer, hosts);
    for (const allow of insecure) allow(chosen);
    // Checks the signature of the ID token, too, not only the TLS connection (OpenID Connect Core §3.1.3.7).
    client.enableNonRepudiationChecks(chosen);
    return chosen;
  }

  #fetchFor(issuer: URL, hosts: readonly string[]): openid.CustomFetch {
    return async (target, { method, headers, body }) => {
      const url = new URL(target);
      const declared = url.origin === issuer.origin || (url.protocol === 'https:' && hosts.includes(url.hostname));
      if (!declared) throw new OutboundFault('forbidden', `${url.origin} is neither the issuer nor in outbound.hosts`);
      // The library sends no other body than a form, and sets its content type itself.
      const form = body instanceof URLSearchParams ? body.toString() : undefined;
      return this.#outbound.fetch(url, { method, headers, body: form });
    };
  }
}

/** OpenID Connect Core §9: HTTP Basic, unless the provider lists methods without it: then the secret goes into the body. */
function authenticationOf(client: OpenId, supported: readonly string[] | undefined) {
  const inBody = supported !== undefined && !supported.includes('client_secret_basic');
  return inBody ? client.ClientSecretPost : client.ClientSecretBasic;
}
