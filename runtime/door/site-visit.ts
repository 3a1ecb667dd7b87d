/** A visit at the host of a site: its position is the site's, whether its headers name it or not. */
import type { Position } from '#actors/protocol/position.ts';
import { AroundVisit } from './around-visit.ts';
import type { Visit } from './port.ts';
import type { Site } from './site.ts';

/** No segment, so that a request which contradicts the name of its host has a malformed position: each service refuses it in its own order. */
const CONTRADICTED = '!';

const HEADERS: Readonly<Record<string, keyof Position>> = {
  'x-customer': 'customer',
  'x-product': 'product',
  'x-env': 'env',
  'x-tenant': 'tenant',
};

export class SiteVisit extends AroundVisit {
  readonly site: Site;
  readonly #contradicted: boolean;
  /** What the answer says to caches, where it depends on a cookie. */
  #readsCookies = false;
  #byCookie = false;

  /** Within the handler's synchronous part. */
  constructor(visit: Visit, site: Site) {
    super(visit);
    this.site = site;
    const { position } = site;
    this.#contradicted =
      differs(visit.header('x-customer'), position.customer) ||
      differs(visit.header('x-product'), position.product) ||
      differs(visit.header('x-env'), position.env) ||
      differs(visit.header('x-tenant'), position.tenant);
  }

  override header(name: string): string {
    return this.#placed(name) ?? super.header(name);
  }

  override headers(name: string): string {
    return this.#placed(name) ?? super.headers(name);
  }

  /** Its route reads cookies, and one of them is the credential of this request. */
  dependsOnCookie(used: boolean): void {
    this.#readsCookies = true;
    this.#byCookie = used;
  }

  /** A cookie is the credential of this request. */
  get byCookie(): boolean {
    return this.#byCookie;
  }

  /** Caches do not take a cookie for a credential, as they do `Authorization` (RFC 9111 §3.5): so the answer says that it depends on one. */
  protected lined(headers: string): string {
    if (!this.#readsCookies || headers.includes('no-store')) return headers;
    if (headers.includes('Cache-Control: ')) return `${headers}Vary: Cookie\n`;
    return this.#byCookie ? `${headers}Cache-Control: private\n` : headers;
  }

  #placed(name: string): string | null {
    if (!name.startsWith('x-')) return null;
    const segment = HEADERS[name];
    if (segment === undefined) return null;
    return this.#contradicted ? CONTRADICTED : this.site.position[segment];
  }
}

function differs(named: string, own: string): boolean {
  return named !== '' && named !== own;
}
