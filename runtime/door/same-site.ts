/**
 * Whether a request comes from a page of the site that it is sent to, as its browser says (OWASP, "Cross-Site Request Forgery Prevention": Fetch
 * Metadata, then `Origin`). A page can write neither header, and what is absent proves nothing.
 */
import type { Visit } from './port.ts';

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** `changes`: the request may change something whatever its verb says. */
export function comesFromSite(visit: Visit, changes: boolean): boolean {
  const upgrades = visit.header('upgrade') !== '';
  return changes || upgrades || !SAFE.has(visit.method) ? mayChange(visit) : mayRead(visit);
}

/**
 * What changes something has to prove its page: `Sec-Fetch-Site: same-origin` (W3C Fetch Metadata §2.3), or where a browser does not send that, or
 * names an `Origin` beside it, that `Origin`.
 */
function mayChange(visit: Visit): boolean {
  const said = visit.header('sec-fetch-site');
  if (said !== '' && said !== 'same-origin') return false;
  const origin = visit.header('origin');
  if (origin === '') return said === 'same-origin';
  return isOrigin(origin, visit.header('host').toLowerCase(), said === 'same-origin');
}

/**
 * A read may come from an address bar, a mail or a link: `none`, or a navigation to a whole page. A page of a neighbouring name may neither embed
 * nor fetch it: `SameSite=Lax` stops only pages of other sites, and what their frames and images load can be measured.
 */
function mayRead(visit: Visit): boolean {
  const said = visit.header('sec-fetch-site');
  if (said === '' || said === 'same-origin' || said === 'none') return true;
  return visit.header('sec-fetch-mode') === 'navigate' && visit.header('sec-fetch-dest') === 'document';
}

/** Compares with the origin of `Host`. A proxy may pass `Host` without its port: then the browser's own word on the origin decides about the port. */
function isOrigin(origin: string, host: string, vouched: boolean): boolean {
  const scheme = origin.slice(0, origin.indexOf('://'));
  const authority = origin.slice(scheme.length + 3);
  const name = withoutPort(host);
  if (scheme !== 'https' && (scheme !== 'http' || !isLocal(name))) return false;
  const standard = scheme === 'https' ? ':443' : ':80';
  const own = host.endsWith(standard) ? host.slice(0, -standard.length) : host;
  return authority === own || (vouched && withoutPort(authority) === name);
}

function withoutPort(authority: string): string {
  const colon = authority.lastIndexOf(':');
  return colon < 0 ? authority : authority.slice(0, colon);
}

/** Browsers keep `Secure` cookies over plain HTTP for these names alone. */
function isLocal(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}
