/**
 * A visit that shows the code of a login link, as the log in that the link stands for at the position that the visit names, the control plane where it names none: the route
 * `/auth/login` of that position answers it by its own rules, with its rates, its guard of accounts and its audit events. A code that does not count there is a wrong password of no user.
 */
import type { Body } from '#actors/protocol/frame.ts';
import { bodyText } from '#actors/kit/json.ts';
import { CONTROL_PLANE, parsePosition } from '#actors/protocol/position.ts';
import { AroundVisit } from '#runtime/door/around-visit.ts';
import type { Visit } from '#runtime/door/port.ts';
import type { LinkedPerson, LoginLinks } from './login-links.ts';

const LOGIN_PATH = '/auth/login';

const plane = parsePosition(CONTROL_PLANE)!;

/** The headers that name the control plane. */
export const PLANE: ReadonlyMap<string, string> = new Map([
  ['x-customer', plane.customer],
  ['x-product', plane.product],
  ['x-env', plane.env],
  ['x-tenant', plane.tenant],
]);

/** The key of the position that a visit names; empty segments where it names none. */
export const namedBy = (visit: Pick<Visit, 'header'>): string =>
  [...PLANE.keys()].map((name) => visit.header(name)).join(':');

const NOWHERE = ':::';

/** What a log in shows in any case. */
const HEADERS: ReadonlyMap<string, string> = new Map([
  ['content-type', 'application/json'],
  ['content-length', ''],
  ['authorization', ''],
  ['x-api-key', ''],
]);

const AT_PLANE: ReadonlyMap<string, string> = new Map([...HEADERS, ...PLANE]);

const NO_ONE: LinkedPerson = { login: 'login-link@invalid', password: 'no code of a login link' };

export class LinkVisit extends AroundVisit {
  override readonly path = LOGIN_PATH;
  override readonly query = '';
  readonly #links: LoginLinks;
  readonly #position: string;
  readonly #headers: ReadonlyMap<string, string>;

  /** Within the handler's synchronous part. */
  constructor(visit: Visit, links: LoginLinks) {
    super(visit);
    this.#links = links;
    const named = namedBy(visit);
    this.#position = named === NOWHERE ? CONTROL_PLANE : named;
    this.#headers = this.#position === CONTROL_PLANE ? AT_PLANE : HEADERS;
  }

  override header(name: string): string {
    return this.#headers.get(name) ?? super.header(name);
  }

  override headers(name: string): string {
    return this.#headers.get(name) ?? super.headers(name);
  }

  /** The code is used up when its body has come, whatever the login then says. */
  override readBody(max: number, done: (body: Body) => void, tooLarge: () => void, tooSlow?: () => void): void {
    super.readBody(max, (body) => done(this.#loginOf(body)), tooLarge, tooSlow);
  }

  protected lined(headers: string): string {
    return headers;
  }

  #loginOf(body: Body): string {
    const code = codeOf(body);
    const { login, password } = (code === null ? null : this.#links.consume(code, this.#position)) ?? NO_ONE;
    return Buffer.from(JSON.stringify({ login, password })).toString('latin1');
  }
}

function codeOf(body: Body): string | null {
  try {
    const shown = JSON.parse(bodyText(body) ?? '') as { readonly code?: unknown } | null;
    return typeof shown?.code === 'string' ? shown.code : null;
  } catch {
    return null;
  }
}
