/** The console's listener, put together: its pages, login links, and routes as any listener has them. Spec: docs/contract/console.md. */
import type { Log } from '#actors/host/activation.ts';
import type { Visit, VisitHandler } from '#runtime/door/port.ts';
import { ROOT } from '#runtime/place.ts';
import { NO_PAGE, RouteVisit } from './answer-lines.ts';
import { BuiltFiles } from './built-files.ts';
import { BASE, LINK_PATH, answerPage } from './console-pages.ts';
import { isForeign } from './foreign.ts';
import { LinkVisit, PLANE } from './link-visit.ts';
import { LoginLinks } from './login-links.ts';
import type { LinkedPerson } from './login-links.ts';

const DIST = `${ROOT}console/dist`;

/** People log in here as operators: logins of tenants are none of this origin. */
const isLogIn = ({ path }: Visit): boolean => path.startsWith('/auth/');
const isAtPlane = (visit: Visit): boolean => [...PLANE].every(([name, value]) => visit.header(name) === value);

export class ConsoleDoor {
  readonly #files: BuiltFiles;
  readonly #links: LoginLinks;

  constructor(log: Pick<Log, 'warn'>, dir = DIST) {
    const now = (): number => performance.now();
    this.#files = new BuiltFiles({ dir, log, now });
    this.#links = new LoginLinks(now);
  }

  /** `route`: answers what is no page. */
  handler(route: VisitHandler): VisitHandler {
    return (visit) => {
      const isLink = visit.path === LINK_PATH && visit.method === 'POST';
      if (!isLink && answerPage(visit, () => this.#files.current())) return;
      if (isForeign(visit)) visit.answer(403, NO_PAGE, '');
      else if (isLink) route(new RouteVisit(new LinkVisit(visit, this.#links)));
      else if (isLogIn(visit) && !isAtPlane(visit)) visit.answer(404, NO_PAGE, '');
      else route(new RouteVisit(visit));
    };
  }

  /** The address, from `base` on, that logs this person in once; its secret is in the fragment, which no request names. */
  linkOf(base: string, person: LinkedPerson): string {
    return `${base}${BASE}#login=${this.#links.draw(person)}`;
  }
}
