/**
 * Which pages may open a WebSocket (docs/contract/changes.md §7.1; RFC 6455 §10.2): browsers ask no permission for one, and only say which page asks.
 */
import type { Arrival } from '../arrival.ts';
import type { PageOrigins } from '../page-origins.ts';
import { comesFromSite } from '../same-site.ts';

/** A request without an `Origin` comes from no page. A page is one of the host that it asks, or of an origin that the tenant's product lists (`gateway.cors`). */
export function isOfPage(arrival: Arrival, pages: Pick<PageOrigins, 'isListed'> | null): boolean {
  const { visit } = arrival;
  return visit.header('origin') === '' || pages?.isListed(arrival) === true || comesFromSite(visit, true);
}
