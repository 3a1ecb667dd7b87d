/** Addresses that the node's own requests may not reach unless the platform file names them (`outbound.allow_private`). Pure. */
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Not globally reachable: the IANA special-purpose registries of IPv4 and IPv6 (RFC 6890), multicast and class E. */
const RESERVED: readonly (readonly [net: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // These contain an IPv4 address, which may be any of the above.
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['fc00::', 7],
  ['5f00::', 16],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const reserved = new BlockList();
for (const [net, bits] of RESERVED) reserved.addSubnet(net, bits, familyOf(net));

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** Whether an IP address is not globally reachable; an IPv4 address mapped into IPv6 counts as itself. */
export function isPrivateAddress(address: string): boolean {
  return reserved.check(address, familyOf(address));
}

interface Entry {
  readonly host: string;
  /** null for every port. */
  readonly port: number | null;
  readonly net: BlockList | null;
}

/** The platform file's list: a host, an IP address or a CIDR range, each with `:port` or for every port. */
export class PrivateHosts {
  readonly #entries: readonly Entry[];

  constructor(list: readonly string[]) {
    this.#entries = list.map(entryOf);
  }

  /** Whether this host name and port may use a private address. */
  allows(host: string, port: number, address: string): boolean {
    return this.#entries.some(
      (entry) =>
        (entry.port === null || entry.port === port) &&
        (entry.host === host || (entry.net?.check(address, familyOf(address)) ?? false)),
    );
  }

  /** Whether this host name may be reached at some address to which it could resolve. */
  mayAllow(host: string, port: number): boolean {
    return this.#entries.some(
      (entry) => (entry.port === null || entry.port === port) && (entry.host === host || entry.net !== null),
    );
  }
}

/**
 * Whether no request can ever reach the URL, whatever its name resolves to: plain HTTP and private addresses need the list. The addresses of a name
 * under TLS are checked at each request.
 */
export function isNeverReached(url: URL, list: PrivateHosts): boolean {
  const { hostname, port } = targetOf(url);
  const isPlain = url.protocol !== 'https:';
  if (isIP(hostname) !== 0) return (isPlain || isPrivateAddress(hostname)) && !list.allows(hostname, port, hostname);
  return (isPlain || hostname === 'localhost') && !list.mayAllow(hostname, port);
}

/** The host and the port that a request to the URL goes to. */
export function targetOf(url: URL): { hostname: string; port: number } {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { hostname: url.hostname.replaceAll(/^\[|\]$/g, ''), port };
}

function entryOf(text: string): Entry {
  const { host, port } = splitPort(text.toLowerCase());
  const [net = '', bits] = host.split('/');
  if (isIP(net) === 0) return { host, port, net: null };
  const list = new BlockList();
  list.addSubnet(net, bits === undefined ? (isIPv6(net) ? 128 : 32) : Number(bits), familyOf(net));
  return { host, port, net: list };
}

/** `host:port`, `[v6]:port`; anything with more colons is a bare IPv6 address or range. */
function splitPort(text: string): { host: string; port: number | null } {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  if (match === null) return { host: text, port: null };
  return { host: (match[1] ?? match[2])!, port: Number(match[3]) };
}
