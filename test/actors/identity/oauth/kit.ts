/** A world whose product lets users sign in with the provider `corp`. */
import type { OAuthProvider, ProductDefinition } from '#config/definitions/product.ts';
import type { OutboundOptions } from '#actors/kit/outbound/outbound.ts';
import { World, type Answer, type WorldOptions } from '#test/kit/identity-call.ts';
import { CLIENT, REDIRECT_URI, type OpenIdProvider } from '#test/kit/openid-provider.ts';

export function providerRow(issuer: string, changes: Partial<OAuthProvider> = {}): OAuthProvider {
  return {
    issuer,
    ...CLIENT,
    scopes: ['openid', 'email', 'profile'],
    redirect_uri: REDIRECT_URI,
    roles: ['tenant_user'],
    link: 'none',
    ...changes,
  };
}

export interface CorpOptions extends Partial<OAuthProvider> {
  readonly outbound?: OutboundOptions;
  readonly settings?: ProductDefinition['settings'];
  readonly world?: WorldOptions;
}

export function corpWorld(corp: Pick<OpenIdProvider, 'issuer' | 'host'>, options: CorpOptions = {}): World {
  const { outbound, settings, world, ...changes } = options;
  const row = providerRow(corp.issuer, changes);
  const twin = providerRow(corp.issuer, changes);
  return new World({
    ...world,
    outbound: { allowPrivate: [corp.host], ...outbound },
    settings: { ...settings, oauth: { providers: { corp: row, twin } } },
  });
}

/** The authorization URL of a fresh start. */
export async function start(world: World): Promise<URL> {
  const answer = await world.ask('startOauth', { id: 'corp' });
  if (answer.status !== 200) throw new Error(answer.text);
  return new URL(answer.body['authorization_url'] as string);
}

export function callback(world: World, query: URLSearchParams | string, id = 'corp'): Promise<Answer> {
  return world.ask('finishOauth', { id, query: query.toString() });
}

/** The whole way: start, the browser at the provider, callback. */
export async function signIn(world: World, corp: OpenIdProvider, subject: string): Promise<Answer> {
  return callback(world, await corp.signIn((await start(world)).href, subject));
}
