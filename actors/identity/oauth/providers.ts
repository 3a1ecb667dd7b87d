/** Providers as the OpenID client knows them: discovered once (OpenID Connect Discovery §4), then kept for an hour. One per thread. */
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

/** The library, loaded on first use: most nodes start without a provider in sight. */
export function openId(): Promise<OpenId> {
  return import('openid-client');
}

export class Providers {
  readonly #outbound: Outbound;
  readonly #clock: Clock;
  /** By definition: a product that is read anew has other definitions, and those forget what was known of the old ones. */
  readonly #known = new WeakMap<OAuthProvider, Known>();

  constructor(outbound: Outbound, clock: Clock) {
    this.#outbound = outbound;
    this.#clock = clock;
  }

  /**
   * The provider's configuration; callers at one time share one discovery, and a failed one is not kept.
   * `hosts` may be asked besides the issuer's own (`outbound.hosts` of the product): some providers keep their keys elsewhere.
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
    // Plain HTTP is the library's to allow and the outbound policy's to refuse: see outbound.allow_private.
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
    // The ID token's signature is checked too, not only the connection that it came over (OpenID Connect Core §3.1.3.7).
    client.enableNonRepudiationChecks(chosen);
    return chosen;
  }

  #fetchFor(issuer: URL, hosts: readonly string[]): openid.CustomFetch {
    return async (target, { method, headers, body }) => {
      const url = new URL(target);
      const declared = url.origin === issuer.origin || (url.protocol === 'https:' && hosts.includes(url.hostname));
      if (!declared) throw new OutboundFault('forbidden', `${url.origin} is neither the issuer nor in outbound.hosts`);
      // The one body that the library sends is a form; it names the type of it itself.
      const form = body instanceof URLSearchParams ? body.toString() : undefined;
      return this.#outbound.fetch(url, { method, headers, body: form });
    };
  }
}

/** OpenID Connect Core §9: HTTP Basic, unless the provider says that it takes the secret in the body only. */
function authenticationOf(client: OpenId, supported: readonly string[] | undefined) {
  const inBody = supported !== undefined && !supported.includes('client_secret_basic');
  return inBody ? client.ClientSecretPost : client.ClientSecretBasic;
}
