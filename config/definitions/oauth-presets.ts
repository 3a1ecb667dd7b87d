/** Providers that are known by name: what `preset` of a sign-in provider fills in. Source: docs/contract/identity-users.md §2. */
import { mapOf } from '../tree.ts';
import type { OAuthEndpoints, OAuthProvider, PresetName } from './product.ts';

interface Preset {
  /** Of OpenID Connect, whose endpoints are discovered; for plain OAuth 2 the name under which its users are linked. */
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** Hosts that are reached besides the issuer's. */
  readonly hosts: readonly string[];
  /** Of plain OAuth 2, which has no discovery. */
  readonly endpoints?: OAuthEndpoints;
}

const OPENID = ['openid', 'email', 'profile'];

export const PRESETS = {
  google: {
    issuer: 'https://accounts.google.com',
    scopes: OPENID,
    hosts: ['oauth2.googleapis.com', 'openidconnect.googleapis.com', 'www.googleapis.com'],
  },
  microsoft: { issuer: 'https://login.microsoftonline.com', scopes: OPENID, hosts: [] },
  apple: { issuer: 'https://appleid.apple.com', scopes: ['openid', 'email', 'name'], hosts: [] },
  gitlab: { issuer: 'https://gitlab.com', scopes: OPENID, hosts: [] },
  github: {
    issuer: 'https://github.com',
    scopes: ['read:user', 'user:email'],
    hosts: [],
    endpoints: {
      authorization: 'https://github.com/login/oauth/authorize',
      token: 'https://github.com/login/oauth/access_token',
      user: 'https://api.github.com/user',
      emails: 'https://api.github.com/user/emails',
    },
  },
  discord: {
    issuer: 'https://discord.com',
    scopes: ['identify', 'email'],
    hosts: [],
    endpoints: {
      authorization: 'https://discord.com/oauth2/authorize',
      token: 'https://discord.com/api/oauth2/token',
      user: 'https://discord.com/api/users/@me',
    },
  },
} as const satisfies Readonly<Record<PresetName, Preset>>;

export const PRESET_NAMES = [
  'google',
  'microsoft',
  'apple',
  'github',
  'gitlab',
  'discord',
] as const satisfies readonly PresetName[];

/** A provider as its file says it: what a preset fills in may be missing. */
export interface WrittenProvider {
  readonly preset?: PresetName | undefined;
  readonly issuer?: string | undefined;
  readonly tenant?: string | undefined;
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly team_id?: string | undefined;
  readonly key_id?: string | undefined;
  readonly private_key?: string | undefined;
  readonly endpoints?: OAuthEndpoints | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly redirect_uri: string;
  readonly redirect_uris?: readonly string[] | undefined;
  readonly roles: readonly string[];
  readonly link: 'none' | 'email_verified';
}

interface WrittenProviders {
  readonly providers: Readonly<Record<string, WrittenProvider>>;
}

/** The checked `product.yaml` with what the presets of its providers say. */
export function withPresets<H extends { readonly oauth?: WrittenProviders | undefined }>(head: H) {
  const { oauth, ...rest } = head;
  if (oauth === undefined) return rest;
  const named = Object.entries(oauth.providers).map(([name, written]) => [name, withPreset(written)] as const);
  return { ...rest, oauth: { providers: mapOf(named) } };
}

/** The provider with what its preset says; a written value takes precedence. */
export function withPreset(written: WrittenProvider): OAuthProvider {
  const { preset, issuer, client_id, client_secret = '', redirect_uri, roles, link } = written;
  const known: Preset | undefined = preset === undefined ? undefined : PRESETS[preset];
  const { team_id, key_id, private_key } = written;
  const endpoints = written.endpoints ?? known?.endpoints;
  return {
    issuer: issuer ?? ownIssuer(written.endpoints) ?? known?.issuer ?? '',
    client_id,
    client_secret,
    scopes: written.scopes ?? known?.scopes ?? OPENID,
    redirect_uri,
    roles,
    link,
    ...(written.redirect_uris === undefined ? {} : { redirect_uris: written.redirect_uris }),
    ...(preset === undefined ? {} : { preset, hosts: known!.hosts }),
    ...(preset === 'microsoft' ? { tenant: written.tenant ?? 'common' } : {}),
    ...(endpoints === undefined ? {} : { endpoints }),
    ...(team_id === undefined || key_id === undefined || private_key === undefined
      ? {}
      : { signer: { team_id, key_id, private_key } }),
  };
}

/** A server of one's own numbers its users itself: a link to one is never taken for the user of that number elsewhere. */
function ownIssuer(endpoints: OAuthEndpoints | undefined): string | undefined {
  return endpoints === undefined ? undefined : new URL(endpoints.user).origin;
}
