/**
 * Logins in cookies, at sites with `cookies: true`: docs/contract/identity-cookies.md §1, docs/decisions/browser.md BR-2. The door turns the
 * cookie of a page of the site into the bearer that services know, so that they read none. It verifies no token: services do.
 */
import type { CompiledRoute } from '#actors/host/call.ts';
import { ACCESS_COOKIE_NAME, COOKIES_HEADER, REFRESH_COOKIE_NAME, readsCookies } from '#actors/protocol/cookies.ts';
import { IN_COOKIES, REFRESH_COOKIE } from '#actors/protocol/frame.ts';
import type { Arrival } from './arrival.ts';
import { cookieValue } from './cookie-value.ts';
import { refuseAtDoor } from './refusals.ts';
import { comesFromSite } from './same-site.ts';
import { SiteVisit } from './site-visit.ts';

const ASK = COOKIES_HEADER.toLowerCase();

export class SessionCookies {
  /** By route: whether it reads cookies. */
  readonly #reads: readonly boolean[];

  constructor(routes: readonly CompiledRoute[]) {
    this.#reads = Object.freeze(routes.map(({ row }) => readsCookies(row)));
  }

  /** Gives the arrival the credential of its cookies, or the refusal of a request that another page may have sent. Before another visit is put around it. */
  read(arrival: Arrival): void {
    const { visit, route } = arrival;
    if (!(visit instanceof SiteVisit) || !visit.site.cookies) return;
    const { cookies: part, everyVerb, callers } = route.row;
    if (part === 'tells') arrival.extra = `${IN_COOKIES}:1\n`;
    if (!this.#reads[route.no]!) return;
    const gives = part === 'gives';
    const asked = gives && visit.header(ASK) === '1';
    // A login shows what is in its body; where a user becomes another kind of user the cookie is the credential, too.
    const access = gives && callers.unread ? '' : shown(visit, ACCESS_COOKIE_NAME);
    const refresh = asked || part === 'ends' ? shown(visit, REFRESH_COOKIE_NAME) : '';
    const used = asked || access !== '' || refresh !== '';
    visit.dependsOnCookie(used);
    if (!used) return;
    if (!comesFromSite(visit, everyVerb === true)) {
      arrival.refusal = refuseAtDoor('cross_origin');
      return;
    }
    if (access !== '') arrival.authorization = `Bearer ${access}`;
    if (part !== undefined)
      arrival.extra = `${IN_COOKIES}:1\n${refresh === '' ? '' : `${REFRESH_COOKIE}:${refresh}\n`}`;
  }
}

/** The value of a cookie; '' where the request shows another credential, which then alone counts. */
function shown(visit: SiteVisit, name: string): string {
  const other = visit.header('authorization') !== '' || visit.header('x-api-key') !== '';
  return other ? '' : cookieValue(visit, name);
}
