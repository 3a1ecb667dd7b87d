/**
 * Whether a page of another origin makes a request. A browser says so itself (Fetch Metadata, W3C; Origin, RFC 6454 §7); programs say neither, and are none. Without this check any page
 * that an operator has open could use up the tries of a log in at this listener, though it reads none of the answers. Pure.
 */
import type { Visit } from '#runtime/door/port.ts';

export function isForeign(visit: Pick<Visit, 'header'>): boolean {
  // The browser's own judgement also holds behind a proxy that names another host.
  const site = visit.header('sec-fetch-site');
  if (site !== '') return site !== 'same-origin' && site !== 'none';
  const origin = visit.header('origin');
  return origin !== '' && hostOf(origin) !== visit.header('host').toLowerCase();
}

/** Null for an opaque origin (`null`), and for what is none. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
