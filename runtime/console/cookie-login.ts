/**
 * Logins that go on when the page is loaded again. A page that wants that draws an id with each login and sends it in `X-Skep-Cookies`; the refresh token of the answer is then in a cookie that no script reads and that the browser shows
 * at `/console/session/<id>` alone. There the page has its access token renewed, and the login ended: the routes `/auth/refresh` and `/auth/logout` answer by their own rules, with their rates and their audit events. A cookie without the id of its
 * address, or with another page's, is none; programs have no use for one. Spec: docs/contract/console.md §4.1; why so: docs/decisions/browser.md BR-28.
 */
import { IN_COOKIES, REFRESH_COOKIE, type Body } from '#actors/protocol/frame.ts';
import { COOKIES_HEADER, loginCookie } from '#actors/protocol/cookies.ts';
import { AroundVisit } from '#runtime/door/around-visit.ts';
import { cookieValue } from '#runtime/door/cookie-value.ts';
import type { Visit } from '#runtime/door/port.ts';
import { BASE } from './console-pages.ts';

const ADDRESSES = `${BASE}session/`;

/** 16 random bytes. */
const ID = /^[A-Za-z0-9_-]{22}$/;

/** By the verb at the address of a cookie: the route that answers. */
const ROUTES: ReadonlyMap<string, string> = new Map([
  ['POST', '/auth/refresh'],
  ['DELETE', '/auth/logout'],
]);

/** The id in the address of a cookie that is asked for; null at any other address or verb. */
export function cookieIdOf({ method, path }: Pick<Visit, 'method' | 'path'>): string | null {
  if (!path.startsWith(ADDRESSES) || !ROUTES.has(method)) return null;
  const id = path.slice(ADDRESSES.length);
  return ID.test(id) ? id : null;
}

/** A log in as its page wants it: with the refresh token in a cookie, or as it is. Within the handler's synchronous part. */
export function withLoginCookie(visit: Visit): Visit {
  const place = placeOf(visit, visit.header(COOKIES_HEADER.toLowerCase()));
  return place === null ? visit : new LoginVisit(visit, place);
}

/** The address of the cookie with the scheme of the page, as services know it; null where no page of this origin asks. That the page is of this origin was looked at before (foreign.ts). */
function placeOf(visit: Visit, id: string): string | null {
  const origin = visit.header('origin');
  if (!ID.test(id) || !URL.canParse(origin)) return null;
  return `${new URL(origin).protocol}${ADDRESSES}${id}`;
}

class LoginVisit extends AroundVisit {
  readonly #lines: string;

  constructor(visit: Visit, place: string) {
    super(visit);
    this.#lines = `${IN_COOKIES}:${place}\n`;
  }

  override get loginLines(): string {
    return this.#lines;
  }

  protected lined(headers: string): string {
    return headers;
  }
}

/** What the routes read of a request whose credential is its cookie. */
const HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-length', 'authorization', 'x-api-key']);

/** A request at the address of a cookie, as the route that answers it. */
export class CookieVisit extends AroundVisit {
  override readonly method = 'POST';
  override readonly path: string;
  override readonly query = '';
  readonly #lines: string;

  private constructor(visit: Visit, place: string) {
    super(visit);
    this.path = ROUTES.get(visit.method)!;
    const token = cookieValue(visit, loginCookie(place).name);
    this.#lines = `${IN_COOKIES}:${place}\n${token === '' ? '' : `${REFRESH_COOKIE}:${token}\n`}`;
  }

  /** Null where no page of this origin asks: a browser names the origin of what changes something, and the cookie counts for nothing without. */
  static of(visit: Visit, id: string): CookieVisit | null {
    const place = placeOf(visit, id);
    return place === null ? null : new CookieVisit(visit, place);
  }

  override get loginLines(): string {
    return this.#lines;
  }

  override header(name: string): string {
    return HEADERS.has(name) ? '' : super.header(name);
  }

  override headers(name: string): string {
    return HEADERS.has(name) ? '' : super.headers(name);
  }

  /** Nothing of it is read. */
  override readBody(max: number, done: (body: Body) => void, tooLarge: () => void, tooSlow?: () => void): void {
    super.readBody(max, () => done(''), tooLarge, tooSlow);
  }

  protected lined(headers: string): string {
    return headers;
  }
}
