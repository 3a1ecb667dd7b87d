/** Rules of `gateway.sites`: what a name may be, tenants that are not there, and names that stand for something else in the same file. */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isLoopback, parseBind } from './bind.ts';
import type { Platform } from './platform.ts';
import { problemAt, type Problem } from './problem.ts';
import type { Surroundings } from './surroundings.ts';
import { suggestion } from './values/suggest.ts';

interface Fault {
  readonly message: string;
  readonly mend: string;
}

const ROOT = ['gateway', 'sites'] as const;

export function sitesProblems(platform: Platform, around: Surroundings): Problem[] {
  const taken = namesElsewhere(platform);
  const keys = platform.hives.tenant.map(({ key }) => key);
  return Object.entries(platform.gateway.sites).flatMap(([host, { tenant }]) => {
    const atName = (fault: Fault | null): Problem[] =>
      fault === null
        ? []
        : [problemAt(around.tree.placeOf([...ROOT, host], 'key'), [...ROOT, host], fault.message, fault.mend)];
    const unknown = keys.includes(tenant) ? [] : [unknownTenant(host, tenant, keys, around)];
    const wrong = nameFault(host);
    if (wrong !== null) return [...atName(wrong), ...unknown];
    const other = taken.get(host) ?? null;
    return [...atName(other ?? pageOfAnother(platform, host, tenant)), ...unknown];
  });
}

function unknownTenant(host: string, tenant: string, keys: readonly string[], around: Surroundings): Problem {
  const path = [...ROOT, host, 'tenant'];
  const mend = keys.length === 0 ? 'list it under hives.tenant' : suggestion(tenant, keys);
  return problemAt(around.tree.placeOf(path, 'value'), path, `this file has no tenant ${tenant}`, mend);
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** What is wrong with a host's name: `Host` is compared with it in lower case and without its port, so no other spelling could ever match. */
function nameFault(host: string): Fault | null {
  const quoted = JSON.stringify(host);
  if (host.includes('*'))
    return { message: `${quoted} has a wildcard, and a site is one name`, mend: 'write each name by itself' };
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0)
    return { message: `${quoted} is an address`, mend: 'give it a name; localhost is one for development' };
  const written = plainName(host);
  if (written !== host && isName(written))
    return { message: `${quoted} is not what browsers send as a host's name`, mend: `write ${written}` };
  return isName(host) ? null : { message: `${quoted} is not the name of a host`, mend: 'write it as app.example.org' };
}

/** The name alone, as browsers send it, of an origin or of a name with a port, capitals or letters beyond ASCII. */
function plainName(text: string): string {
  const [host = ''] = text.replace(/^https?:\/\//i, '').split(/[/:]/, 1);
  return domainToASCII(host.endsWith('.') ? host.slice(0, -1) : host);
}

function isName(host: string): boolean {
  const labels = host.split('.');
  return host.length <= 253 && labels.every((label) => LABEL.test(label)) && !/^[0-9]+$/.test(labels.at(-1)!);
}

/** Names under which this file lets something else be reached: browsers send a host's cookies to all of its ports. */
function namesElsewhere({ listeners, vault }: Platform): ReadonlyMap<string, Fault> {
  const taken = new Map<string, Fault>();
  const take = (host: string, key: string): void => {
    if (isLoopback(host) || taken.has(host)) return;
    const message = `${host} is the name in ${key} too, and browsers send the cookies of a name to all of its ports`;
    taken.set(host, { message, mend: 'give the site a name of its own' });
  };
  for (const [name, bind] of Object.entries(listeners))
    if (bind !== null) take(parseBind(bind)!.host.toLowerCase(), `the address of the listener ${name}`);
  if (vault.public_url !== undefined) take(new URL(vault.public_url).hostname, 'vault.public_url');
  if (vault.pki.url !== undefined) take(new URL(vault.pki.url).hostname, 'vault.pki.url');
  return taken;
}

/** A name whose pages belong to another product by `gateway.cors`: they would read that product and hold cookies of this one. */
function pageOfAnother({ gateway: { cors } }: Platform, host: string, tenant: string): Fault | null {
  const own = tenant.split(':')[1];
  for (const [product, { origins }] of Object.entries(cors)) {
    if (product === own || !origins.some((origin) => new URL(origin).hostname === host)) continue;
    const message = `pages of ${host} are listed for the product ${product} in gateway.cors, and the site serves ${own}`;
    return { message, mend: 'give each product a name of its own' };
  }
  return null;
}
