/**
 * The answer that hands tokens out: in its body, or in cookies where a page of a site asked for them; a page of the console has the refresh token in one. The door says so on
 * rows with `cookies`, after it has checked where the request comes from. Spec: docs/contract/identity-cookies.md §1, docs/contract/console.md §4.1.
 */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { ACCESS_COOKIE_NAME, AT_SITE, REFRESH_COOKIE_NAME, loginCookie } from '#actors/protocol/cookies.ts';
import { IN_COOKIES, REFRESH_COOKIE } from '#actors/protocol/frame.ts';
import { reply, withCookies, type Reply } from '#actors/protocol/route.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';
import type { OkReply, TokenBody, TokenReply } from './shapes.ts';

const NO_STORE = { 'Cache-Control': 'no-store' } as const;

const TOO_LARGE = `the user's roles and claims make a token that is larger than a cookie may be (${limits.identity.cookieBytesMax} bytes)`;

/** RFC 6265bis §4.1.3.2: `__Host-` needs Secure, Path=/ and no Domain. Lax, so that a link from elsewhere finds its reader logged in. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** Before the commit: a token that no cookie can hold must not open a login. Refusal: `mint_failed`. */
export function giveTokens(call: Call, tokens: TokenBody): Reply<200, TokenReply> | Refusal<'mint_failed'> {
  const place = call.header(IN_COOKIES) ?? '';
  if (place === '') return reply<200, Reply<200, TokenReply>>(200, tokens, NO_STORE);
  return place === AT_SITE ? giveBoth(tokens) : giveApart(place, tokens);
}

function giveBoth(tokens: TokenBody): Reply<200, TokenReply> | Refusal<'mint_failed'> {
  const { access_token, refresh_token, expires_in, token_type: _bearer, ...more } = tokens;
  if (ACCESS_COOKIE_NAME.length + access_token.length > limits.identity.cookieBytesMax)
    return refuse('mint_failed', { message: TOO_LARGE });
  return withCookies(reply<200, Reply<200, TokenReply>>(200, { expires_in, ...more }, NO_STORE), [
    cookie(ACCESS_COOKIE_NAME, access_token, expires_in),
    cookie(REFRESH_COOKIE_NAME, refresh_token, limits.identity.refreshTokenMs / 1000),
  ]);
}

/** The cookie ends with the browser: the next person at the machine finds none. */
function giveApart(place: string, { refresh_token, ...more }: TokenBody): Reply<200, TokenReply> {
  const { name, attributes } = loginCookie(place);
  return withCookies(reply<200, Reply<200, TokenReply>>(200, more, NO_STORE), [
    `${name}=${refresh_token}; ${attributes}`,
  ]);
}

/** The reply of a logout; it takes the cookies away where they were shown. */
export function takeTokens(call: Call): Reply<200, OkReply> {
  const place = call.header(IN_COOKIES) ?? '';
  if (place === '') return reply<200, Reply<200, OkReply>>(200, { ok: true });
  return withCookies(reply<200, Reply<200, OkReply>>(200, { ok: true }, NO_STORE), emptied(place));
}

function emptied(place: string): string[] {
  if (place === AT_SITE) return [cookie(ACCESS_COOKIE_NAME, '', 0), cookie(REFRESH_COOKIE_NAME, '', 0)];
  const { name, attributes } = loginCookie(place);
  return [`${name}=; Max-Age=0; ${attributes}`];
}

/** Whether the page holds its refresh token in a cookie. A refresh then takes that one, and none of a body. */
export function wantsCookies(call: Call): boolean {
  return (call.header(IN_COOKIES) ?? '') !== '';
}

/** The refresh token of the cookie; '' without one, which is no token. */
export function cookieToken(call: Call): string {
  return call.header(REFRESH_COOKIE) ?? '';
}

function cookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Max-Age=${seconds}; ${ATTRIBUTES}`;
}
