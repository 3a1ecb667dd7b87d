/**
 * The names of hosts at which the gateway serves one tenant each (`gateway.sites`): docs/contract/platform.md §3.5, docs/decisions/browser.md BR-1. The name is that of `Host`, exactly, without its port. `X-Forwarded-Host` and `Forwarded` are not read: a proxy passes `Host` on.
 */
import type { Platform } from '#config/platform.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { Visit } from './port.ts';
import type { Site } from './site.ts';
import { SiteVisit } from './site-visit.ts';

export class Sites {
  readonly #byHost: ReadonlyMap<string, Site>;

  /** Null where no site is declared: nothing then looks at `Host`. */
  static of({ gateway: { sites } }: Pick<Platform, 'gateway'>): Sites | null {
    const entries = Object.entries(sites);
    if (entries.length === 0) return null;
    return new Sites(new Map(entries.map(([host, entry]) => [host, siteOf(host, entry)])));
  }

  private constructor(byHost: ReadonlyMap<string, Site>) {
    this.#byHost = byHost;
  }

  get anyCookies(): boolean {
    return [...this.#byHost.values()].some(({ cookies }) => cookies);
  }

  get anyWeb(): boolean {
    return [...this.#byHost.values()].some(({ web }) => web);
  }

  /** The visit of a request; around it, at the host of a site, the visit that has the position of the site. */
  at(visit: Visit): Visit {
    const site = this.#byHost.get(nameOf(visit.header('host')));
    return site === undefined ? visit : new SiteVisit(visit, site);
  }
}

function siteOf(host: string, { tenant, cookies, web, compressed }: Platform['gateway']['sites'][string]): Site {
  return Object.freeze({ host, position: parsePosition(tenant)!, cookies, web, compressed });
}

/** The name of a `Host` in lower case, without its port; most come as they are. */
function nameOf(host: string): string {
  const colon = host.lastIndexOf(':');
  return (colon < 0 ? host : host.slice(0, colon)).toLowerCase();
}
