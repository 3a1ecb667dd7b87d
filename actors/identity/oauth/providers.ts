/** Configurations of providers for the OpenID client: discovered (OpenID Connect Discovery §4), then cached for an hour. One cache per thread. */
import type * as openid from 'openid-client';
import { limits } from '#config/limits.ts';
import type { OAuthEndpoints, OAuthProvider } from '#config/definitions/product.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { appleSecret } from './apple-secret.ts';
import { ENTRA } from './entra.ts';
import { withItsStatus } from './answer-status.ts';
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
    const fetchOf = this.#fetchFor(provider, hosts);
    const made =
      provider.endpoints === undefined
        ? await this.#byDiscovery(client, provider, fetchOf)
        : byEndpoints(client, provider, provider.endpoints);
    made[client.customFetch] = fetchOf;
    if (isInsecure(provider)) client.allowInsecureRequests(made);
    // Checks the signature of the ID token, too, not only the TLS connection (OpenID Connect Core §3.1.3.7).
    if (provider.endpoints === undefined) client.enableNonRepudiationChecks(made);
    return made;
  }

  async #byDiscovery(client: OpenId, provider: OAuthProvider, fetchOf: openid.CustomFetch): Promise<Configuration> {
    const { client_id, client_secret, tenant } = provider;
    const options = {
      [client.customFetch]: fetchOf,
      // The library must allow plain HTTP here; the outbound policy refuses it unless outbound.allow_private names the host.
      execute: isInsecure(provider) ? [client.allowInsecureRequests] : [],
    };
    if (tenant !== undefined) {
      const secret = client.ClientSecretPost(client_secret);
      return client.discovery(new URL(`${ENTRA}/${tenant}/v2.0`), client_id, undefined, secret, options);
    }
    const found = await client.discovery(new URL(provider.issuer), client_id, undefined, client.None(), options);
    const metadata = found.serverMetadata();
    return new client.Configuration(metadata, client_id, undefined, this.#authentication(client, provider, metadata));
  }

  /** OpenID Connect Core §9: HTTP Basic, unless the provider lists methods without it: then the secret goes into the body. */
  #authentication(client: OpenId, provider: OAuthProvider, metadata: openid.ServerMetadata): openid.ClientAuth {
    if (provider.signer !== undefined)
      return (_server, { client_id }, body) => {
        body.set('client_id', client_id);
        body.set('client_secret', appleSecret(provider, this.#clock.now()));
      };
    const supported = metadata.token_endpoint_auth_methods_supported;
    const inBody = supported !== undefined && !supported.includes('client_secret_basic');
    return (inBody ? client.ClientSecretPost : client.ClientSecretBasic)(provider.client_secret);
  }

  #fetchFor(provider: OAuthProvider, hosts: readonly string[]): openid.CustomFetch {
    const { issuer, endpoints, preset } = provider;
    const declared = new Set([issuer, ...Object.values(endpoints ?? {})].map((url) => new URL(url).origin));
    const token = endpoints === undefined ? null : new URL(endpoints.token).href;
    return async (target, { method, headers, body }) => {
      const asked = new URL(target);
      const url = preset === 'microsoft' && asked.origin === ENTRA ? new URL(asked.pathname, issuer) : asked;
      const reached = declared.has(url.origin) || (url.protocol === 'https:' && hosts.includes(url.hostname));
      if (!reached)
        throw new OutboundFault('forbidden', `${url.origin} is neither the provider's nor in outbound.hosts`);
      // The library sends no other body than a form, and sets its content type itself.
      const form = body instanceof URLSearchParams ? body.toString() : undefined;
      const answer = await this.#outbound.fetch(url, { method, headers, body: form });
      return asked.href === token ? withItsStatus(answer) : answer;
    };
  }
}

const isInsecure = ({ issuer, endpoints }: OAuthProvider): boolean =>
  [issuer, ...Object.values(endpoints ?? {})].some((url) => url.startsWith('http:'));

function byEndpoints(client: OpenId, provider: OAuthProvider, endpoints: OAuthEndpoints): Configuration {
  const { issuer, client_id, client_secret } = provider;
  const metadata = { issuer, authorization_endpoint: endpoints.authorization, token_endpoint: endpoints.token };
  return new client.Configuration(metadata, client_id, undefined, client.ClientSecretPost(client_secret));
}
