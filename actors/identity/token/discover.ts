/**
 * `GET /.well-known/skep`: how users of a position log in, for programs that show a login page. Skep is no OpenID provider and no authorization server
 * for third parties, so it has no document under their well-known names; members that mean the same have their names (RFC 8414 §2). Addresses are paths:
 * the node does not know under which name it is reached.
 */
import type { Call } from '#actors/host/call.ts';
import { OWN_ISSUER } from '#actors/kit/token/ring.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { accountsOf } from '../account/rules.ts';
import type { Identity } from '../identity.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { sessionsManaged } from '../session/open-session.ts';
import { wantsCookies } from '../user/give-tokens.ts';
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
  totp_enable: '/auth/mfa/totp/enable',
  totp_disable: '/auth/mfa/totp/disable',
  recovery_codes: '/auth/mfa/recovery-codes',
  proof: '/auth/proof',
} as const;

const WITH_PASSKEYS = {
  passkey_login_begin: '/auth/webauthn/login/begin',
  passkey_login_finish: '/auth/webauthn/login/finish',
  passkey_register_begin: '/auth/webauthn/register/begin',
  passkey_register_finish: '/auth/webauthn/register/finish',
  passkeys: '/auth/webauthn/credentials',
  proof_begin: '/auth/proof/begin',
} as const;

/** Of a product with accounts. */
const OWN_ACCOUNT = {
  account: '/auth/me',
  account_password: '/auth/me/password',
  account_sessions: '/auth/me/sessions',
} as const;

/** These mail a link to the new address. */
const OWN_ADDRESS = { account_email: '/auth/me/email', account_email_confirm: '/auth/me/email/confirm' } as const;

const WITH_PROVIDERS = {
  oauth_start: '/auth/oauth/{provider}/start',
  oauth_callback: '/auth/oauth/{provider}/callback',
} as const;

const OWN_PROVIDERS = {
  account_providers: '/auth/me/oauth',
  account_provider: '/auth/me/oauth/{provider}',
  account_provider_link: '/auth/me/oauth/{provider}/link',
  account_provider_callback: '/auth/me/oauth/{provider}/callback',
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
  const guests = hasGuests(call);
  const passkeys = product.settings.passkeys !== undefined;
  const document: Discovery = {
    issuer: OWN_ISSUER,
    tenant: position.key,
    access_token_format: 'v4.public',
    jwks_uri: '/.well-known/jwks.json',
    introspection_endpoint: '/auth/introspect',
    revocation_endpoint: '/auth/revoke',
    endpoints: endpointsOf(identity, call, { passkeys, providers: providers.length > 0 }),
    sign_up: signUpOf(call),
    providers,
    captcha: captchaOf(call),
    guests,
    sessions: sessionsManaged(call) ? 'managed' : 'stateless',
    second_factors: ['totp'],
    passkeys,
    cookies: wantsCookies(call),
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

interface Has {
  readonly passkeys: boolean;
  readonly providers: boolean;
}

/** What the position and its product have; a link that the platform file does not name cannot be mailed. */
function endpointsOf(identity: Identity, call: Call, { passkeys, providers }: Has): Record<string, string> {
  const { mail } = identity;
  const hasAccounts = !isRefusal(accountsOf(call.activation));
  const sign_up = signUpOf(call);
  return {
    ...ALWAYS,
    ...(mail === null ? {} : BY_MAIL),
    ...(passkeys ? WITH_PASSKEYS : {}),
    ...(providers ? WITH_PROVIDERS : {}),
    ...(sign_up === 'open' && mail?.links.sign_up !== undefined ? { sign_up: '/auth/sign-up' } : {}),
    ...(sign_up === 'closed' ? {} : { sign_up_confirm: '/auth/sign-up/confirm' }),
    ...(captchaOf(call) === 'altcha' ? { captcha: '/auth/captcha' } : {}),
    ...(hasGuests(call) ? { guest: '/auth/guest' } : {}),
    ...(hasAccounts ? OWN_ACCOUNT : {}),
    ...(hasAccounts && mail?.links.email_change !== undefined ? OWN_ADDRESS : {}),
    ...(hasAccounts && providers ? OWN_PROVIDERS : {}),
  };
}

function signUpOf(call: Call): Discovery['sign_up'] {
  const rules = accountsOf(call.activation);
  return isRefusal(rules) ? 'closed' : rules.accounts.sign_up;
}
