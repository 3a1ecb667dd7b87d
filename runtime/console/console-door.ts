/** The console's listener, put together: its pages, login links, logins that go on, and routes as any listener has them. Spec: docs/contract/console.md. */
import type { Log } from '#actors/host/activation.ts';
import type { Visit, VisitHandler } from '#runtime/door/port.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { ROOT } from '#runtime/place.ts';
import { NO_PAGE, RouteVisit } from './answer-lines.ts';
import { BuiltFiles } from './built-files.ts';
import { CookieVisit, cookieIdOf, withLoginCookie } from './cookie-login.ts';
import { BASE, LINK_PATH, answerPage, placePath } from './console-pages.ts';
import { isForeign } from './foreign.ts';
import { LinkVisit, namedBy } from './link-visit.ts';
import { LoginLinks, type LinkedPeople } from './login-links.ts';
import { PACKED_CONSOLE, readPacked } from './packed-build.ts';

const DIST = `${ROOT}console/dist`;
const PACKED = `${ROOT}${PACKED_CONSOLE}`;

const isLogIn = ({ path }: Visit): boolean => path.startsWith('/auth/');

/** Files of rows come under a type that the tenant has chosen, by a parameter of a route that has rows as JSON beside. */
const asksForFile = ({ query }: Visit): boolean =>
  query !== '' && [...new URLSearchParams(query).keys()].some((key) => key.toLowerCase() === 'download');

const isAtPlane = (visit: Visit): boolean => namedBy(visit) === CONTROL_PLANE;

export interface ConsoleDoorOptions {
  readonly log: Pick<Log, 'warn'>;
  /** Whether people of tenants log in here. */
  readonly tenants: boolean;
  readonly dir?: string;
  readonly packed?: string;
}

export class ConsoleDoor {
  readonly #files: BuiltFiles;
  readonly #links: LoginLinks;
  readonly #tenants: boolean;

  constructor({ log, tenants, dir = DIST, packed = PACKED }: ConsoleDoorOptions) {
    this.#tenants = tenants;
    const now = (): number => performance.now();
    this.#files = new BuiltFiles({ dir, packed: () => readPacked(packed), log, now });
    this.#links = new LoginLinks(now);
  }

  /** `route`: answers what is no page. */
  handler(route: VisitHandler): VisitHandler {
    return (visit) => {
      const isLink = visit.path === LINK_PATH && visit.method === 'POST';
      const cookieId = cookieIdOf(visit);
      if (!isLink && cookieId === null && answerPage(visit, () => this.#files.current())) return;
      if (isForeign(visit)) visit.answer(403, NO_PAGE, '');
      else if (asksForFile(visit)) visit.answer(404, NO_PAGE, '');
      else if (isLink) this.#logIn(new LinkVisit(withLoginCookie(visit), this.#links), route);
      else if (cookieId !== null) this.#goOn(visit, cookieId, route);
      else if (isLogIn(visit)) this.#logIn(withLoginCookie(visit), route);
      else route(new RouteVisit(visit));
    };
  }

  #goOn(visit: Visit, cookieId: string, route: VisitHandler): void {
    const login = CookieVisit.of(visit, cookieId);
    if (login === null) visit.answer(403, NO_PAGE, '');
    else this.#logIn(login, route);
  }

  /** Where it is for operators alone, logins of tenants are none of this origin. */
  #logIn(visit: Visit, route: VisitHandler): void {
    if (this.#tenants || isAtPlane(visit)) route(new RouteVisit(visit));
    else visit.answer(404, NO_PAGE, '');
  }

  /** The address, from `base` on, that logs these people in once, at the first tenant among them; its secret is in the fragment, which no request names. */
  linkOf(base: string, people: LinkedPeople): string {
    const tenant = Object.keys(people).find((key) => key !== CONTROL_PLANE);
    return `${base}${tenant === undefined ? BASE : placePath(tenant)}#login=${this.#links.draw(people)}`;
  }
}
