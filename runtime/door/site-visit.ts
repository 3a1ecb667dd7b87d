/** A visit at the host of a site: its position is the site's, whether its headers name it or not. */
import type { Position } from '#actors/protocol/position.ts';
import { AroundVisit } from './around-visit.ts';
import type { Visit } from './port.ts';

/** No segment, so that a request which contradicts the name of its host has a malformed position: each service refuses it in its own order. */
const CONTRADICTED = '!';

const HEADERS: Readonly<Record<string, keyof Position>> = {
  'x-customer': 'customer',
  'x-product': 'product',
  'x-env': 'env',
  'x-tenant': 'tenant',
};

export class SiteVisit extends AroundVisit {
  readonly #position: Position;
  readonly #contradicted: boolean;

  /** Within the handler's synchronous part. */
  constructor(visit: Visit, position: Position) {
    super(visit);
    this.#position = position;
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

  protected lined(headers: string): string {
    return headers;
  }

  #placed(name: string): string | null {
    if (!name.startsWith('x-')) return null;
    const segment = HEADERS[name];
    if (segment === undefined) return null;
    return this.#contradicted ? CONTRADICTED : this.#position[segment];
  }
}

function differs(named: string, own: string): boolean {
  return named !== '' && named !== own;
}
