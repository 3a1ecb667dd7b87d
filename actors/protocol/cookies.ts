/**
 * The cookies in which a browser holds the tokens of a login at a site (docs/contract/identity-cookies.md §1): their names, and which routes read
 * them. `__Host-` (RFC 6265bis §4.1.3.2) ties a cookie to one host, so that a neighbouring name can neither read nor plant it.
 */
import type { RouteRow } from './route.ts';

export const ACCESS_COOKIE_NAME = '__Host-skep-access';
export const REFRESH_COOKIE_NAME = '__Host-skep-refresh';

/** The header by which a page asks for cookies in place of tokens. */
export const COOKIES_HEADER = 'X-Skep-Cookies';

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
