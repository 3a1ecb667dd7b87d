/**
 * How each listener finds a caller's address. The gateway is the node's own edge: the address is the socket's peer, and headers that a
 * caller writes count for nothing. Where the peer is a configured proxy, the addresses that proxies wrote are followed back to the first
 * one that is no proxy. Intake's own listener stands behind another gateway: the address comes from that gateway's header alone, chains
 * are not parsed, and a missing or unparsable one is '', which all such callers share (docs/contract/intake.md §6.2).
 */
import { BlockList, isIP } from 'node:net';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { callerIp } from './caller-ip.ts';
import { forwarded, forwardedFor, type Hops } from './forwarded.ts';
import type { Visit } from './port.ts';

/** The caller's address in its shortest text form, or '' when it is unknown. Inside the handler's synchronous part. */
export type CallerAddress = (visit: Visit) => string;

/** The socket's peer. */
export const bySocket: CallerAddress = (visit) => visit.ip();

/** The address in one header. Forwarded-for chains are not parsed, and a header that came twice counts as a chain. */
export function byHeader(name: string): CallerAddress {
  const header = name.toLowerCase();
  return (visit) => soundIp(visit.headers(header));
}

/** Which header of a proxy counts: `auto` takes all that came, as long as they agree. */
export type ProxyHeader = Platform['gateway']['client_address'];

/** The address that a proxy's headers give for the caller; null without such a header. */
type Named = (visit: Visit, proxy: string) => string | null;

/**
 * The address that proxies in these networks (`10.0.0.0/8`, `::1`) name when the peer is one of them, else the peer's own. A proxy
 * appends to one header and passes the others on as the caller wrote them. So where headers disagree, or name no address, the call
 * counts as the proxy's own. `name`: the header that contains a single address.
 */
export function byTrustedProxy(networks: readonly string[], name: string, which: ProxyHeader = 'auto'): CallerAddress {
  const list = blockListOf(networks);
  const trusted = (ip: string): boolean => list.check(ip, familyOf(ip));
  const single = name.toLowerCase();
  const named: Readonly<Record<Exclude<ProxyHeader, 'auto'>, Named>> = {
    'client-ip-header': (visit, proxy) => of(visit.headers(single), (value) => soundIp(value) || proxy),
    'x-forwarded-for': (visit, proxy) =>
      of(visit.headers('x-forwarded-for'), (value) => follow(forwardedFor(value), proxy, trusted)),
    forwarded: (visit, proxy) =>
      of(visit.headers('forwarded'), (value) => follow(forwarded(value) ?? [], proxy, trusted)),
  };
  const asked = which === 'auto' ? Object.values(named) : [named[which]];
  return (visit) => {
    const peer = visit.ip();
    return peer === '' || !trusted(peer) ? peer : agreed(asked, visit, peer);
  };
}

function of(value: string, read: (value: string) => string): string | null {
  return value === '' ? null : read(value);
}

/** The one address that all present headers name; the proxy's own when they name none, or different ones. */
function agreed(asked: readonly Named[], visit: Visit, proxy: string): string {
  let known: string | null = null;
  for (const ask of asked) {
    const said = ask(visit, proxy);
    if (said === null) continue;
    if (known !== null && known !== said) return proxy;
    known = said;
  }
  return known ?? proxy;
}

/**
 * The right-most address that is no proxy. At a hop without a readable address the result is the proxy that wrote it, the last known one.
 * A chain that consists of proxies gives its first; a chain longer than any real one is not followed to its end.
 */
function follow(hops: Hops, proxy: string, trusted: (ip: string) => boolean): string {
  let last = proxy;
  let left: number = limits.door.forwardedHopsMax;
  for (const hop of hops) {
    if (hop === '' || left-- === 0) return last;
    if (!trusted(hop)) return hop;
    last = hop;
  }
  return last;
}

/** How the listener of this name finds the caller's address. */
export function callerAddressOf(platform: Platform, listener: string): CallerAddress {
  const name = platform.intake.security.client_ip_header;
  if (listener === 'intake') return byHeader(name);
  const { trusted_proxies: proxies, client_address: which } = platform.gateway;
  return listener === 'gateway' && proxies.length > 0 ? byTrustedProxy(proxies, name, which) : bySocket;
}

/** The address in its shortest form; '' for other text, and for an address with a zone, which has a meaning only on the machine that wrote it. */
function soundIp(text: string): string {
  return isIP(text) === 0 || text.includes('%') ? '' : callerIp(text);
}

function familyOf(ip: string): 'ipv4' | 'ipv6' {
  return isIP(ip) === 4 ? 'ipv4' : 'ipv6';
}

/** Addresses and CIDR ranges, to check others against. */
export function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string | undefined];
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}
