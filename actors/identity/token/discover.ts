/**
 * `GET /.well-known/skep`: how users of a position log in, for programs that show a login page. Skep is no OpenID provider and no authorization server
 * for third parties, so it has no document under their well-known names; members that mean the same have their names (RFC 8414 §2). Addresses are paths:
 * the node does not know under which name it is reached.
 */
import type { Call } from '#actors/host/call.ts';
import { OWN_ISSUER } from '#actors/kit/token/ring.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { accountsOf } from '../account/rules.ts';
import type { Identity } from '../identity.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { sessionsManaged } from '../session/open-session.ts';
import type { tokenRoutes } from './routes.ts';
import type { Discovery } from './shapes.ts';

type Result = Outcome<typeof tokenRoutes.discover>;

const ALWAYS = {
  login: '/auth/login',
  refresh: '/auth/refresh',
  logout: '/auth/logout',
  token: '/auth/token',
  api_key: '/auth/apikey',
  totp_setup: '/auth/mfa/totp/setup',
} as const;

/** These send a mail. */
const BY_MAIL = {
  password_reset: '/auth/password/reset',
  password_confirm: '/auth/password/confirm',
  magic_link: '/auth/magic-link',
  magic_link_consume: '/auth/magic-link/consume',
  code: '/auth/code',
  code_consume: '/auth/code/consume',
} as const;

export function discover(identity: Identity, call: Call): Result {
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const { position, product } = call.activation;
  const providers = Object.keys(product.settings.oauth?.providers ?? {}).toSorted();
  const endpoints: Record<string, string> = { ...ALWAYS, ...(identity.mail === null ? {} : BY_MAIL) };
  if (providers.length > 0) endpoints['oauth_start'] = '/auth/oauth/{provider}/start';
  const sign_up = signUpOf(call);
  const guests = hasGuests(call);
  if (sign_up === 'open' && identity.mail?.links.sign_up !== undefined) endpoints['sign_up'] = '/auth/sign-up';
  if (sign_up !== 'closed') endpoints['sign_up_confirm'] = '/auth/sign-up/confirm';
  if (captchaOf(call) === 'altcha') endpoints['captcha'] = '/auth/captcha';
  if (guests) endpoints['guest'] = '/auth/guest';
  const document: Discovery = {
    issuer: OWN_ISSUER,
    tenant: position.key,
    access_token_format: 'v4.public',
    jwks_uri: '/.well-known/jwks.json',
    introspection_endpoint: '/auth/introspect',
    revocation_endpoint: '/auth/revoke',
    endpoints,
    sign_up,
    providers,
    captcha: captchaOf(call),
    guests,
    sessions: sessionsManaged(call) ? 'managed' : 'stateless',
    second_factors: ['totp'],
    passkeys: product.settings.passkeys !== undefined,
  };
  return reply(200, document, { 'Cache-Control': 'no-store' });
}

function captchaOf(call: Call): Discovery['captcha'] {
  const rules = accountsOf(call.activation);
  return isRefusal(rules) ? null : (rules.accounts.captcha?.provider ?? null);
}

function hasGuests(call: Call): boolean {
  const rules = accountsOf(call.activation);
  return !isRefusal(rules) && rules.accounts.guests !== undefined;
}

function signUpOf(call: Call): Discovery['sign_up'] {
  const rules = accountsOf(call.activation);
  return isRefusal(rules) ? 'closed' : rules.accounts.sign_up;
}
