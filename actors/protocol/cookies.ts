/**
 * The cookies in which a browser holds the tokens of a login at a site (docs/contract/identity-cookies.md §1): their names, and which routes read
 * them. `__Host-` (RFC 6265bis §4.1.3.2) ties a cookie to one host, so that a neighbouring name can neither read nor plant it.
 */
import type { RouteRow } from './route.ts';

export const ACCESS_COOKIE_NAME = '__Host-skep-access';
export const REFRESH_COOKIE_NAME = '__Host-skep-refresh';

/** The header by which a page asks for cookies in place of tokens. */
export const COOKIES_HEADER = 'X-Skep-Cookies';

/** What the door says of a request at a site whose page holds both tokens in cookies. */
export const AT_SITE = '1';

/**
 * The cookie of a login at the console (docs/contract/console.md §4.1), by what the door says of such a request: the scheme of the page and the address of the login's cookie, such as
 * `https:/console/session/<id>`. A browser shows the cookie at this address alone: neither at a route that something of a tenant answers, nor to a program on another port of
 * the host by chance.
 */
export function loginCookie(place: string): { readonly name: string; readonly attributes: string } {
  const isSecure = place.startsWith('https:');
  const attributes = `Path=${place.slice(place.indexOf(':') + 1)}; HttpOnly; SameSite=Strict`;
  // `__Secure-` (RFC 6265bis §4.1.3.1): no page that came without TLS can plant it. At `http://localhost` not every browser keeps `Secure` cookies.
  return isSecure
    ? { name: '__Secure-skep-login', attributes: `${attributes}; Secure` }
    : { name: 'skep-login', attributes };
}

/** Operators' routes, and those of the node's own parts. */
const OPERATORS = /^\/(?:data\/)?(?:superadmin|internal)(?:\/|$)/;

/**
 * Whether a cookie counts as the credential there: on routes of a tenant that read one, never on the anonymous mirror, on operators' routes, on
 * listeners of single services.
 */
export function readsCookies({ path, position, callers, cookies, listener, to = 'tenant' }: RouteRow): boolean {
  if (position === 'none' || listener === 'own' || to !== 'tenant' || OPERATORS.test(path)) return false;
  return cookies === 'gives' || cookies === 'ends' || !callers.unread;
}
