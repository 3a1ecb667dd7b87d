/** Addresses that a listener binds: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`. */
import { BlockList, isIP, isIPv6 } from 'node:net';

export interface Bind {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

const BIND = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/;

/** Host and port, or null when the text is not `host:port`. An IPv6 host stands in brackets. */
export function parseBind(text: string): Bind | null {
  const found = BIND.exec(text);
  if (found === null) return null;
  const [, six, name, digits] = found;
  if (six !== undefined && !isIPv6(six)) return null;
  const port = Number(digits);
  return port > 65_535 ? null : { host: six ?? name!, port };
}

/** `host:port`, an IPv6 host in brackets. */
function bindText(bind: Bind): string {
  return `${isIPv6(bind.host) ? `[${bind.host}]` : bind.host}:${bind.port}`;
}

/** The address with another port. */
export function withPort(bind: string, port: number): string {
  return bindText({ host: parseBind(bind)?.host ?? '127.0.0.1', port });
}

const NEAR = new BlockList();
NEAR.addSubnet('127.0.0.0', 8, 'ipv4');
NEAR.addSubnet('10.0.0.0', 8, 'ipv4');
NEAR.addSubnet('172.16.0.0', 12, 'ipv4');
NEAR.addSubnet('192.168.0.0', 16, 'ipv4');
NEAR.addSubnet('169.254.0.0', 16, 'ipv4');
NEAR.addAddress('::1', 'ipv6');
NEAR.addSubnet('fc00::', 7, 'ipv6');
NEAR.addSubnet('fe80::', 10, 'ipv6');

/** Whether a host is this machine's own address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Whether a host is loopback or private; of names only `localhost` is. Source: docs/contract/intake.md §6.2, `bind_gateway_only`. */
export function isNearHost(host: string): boolean {
  if (host === 'localhost') return true;
  const family = isIP(host);
  return family !== 0 && NEAR.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether the text is an address or a CIDR range: `10.0.0.0/8`, `::1`. */
export function isNetwork(text: string): boolean {
  const [address, bits, more] = text.split('/');
  const family = isIP(address!);
  if (family === 0 || more !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Whether the text names hosts: a name, an address or a CIDR range, each with `:port` (`[::1]:443`) or without. */
export function isHosts(text: string): boolean {
  const [, inBrackets, plain] = /^(?:\[([^\]]+)\]|([^:]+)):\d{1,5}$/.exec(text) ?? [];
  const host = inBrackets ?? plain ?? text;
  // A text like a number must be a valid address: a typing error in one must not pass as a host name that never matches.
  return (
    isNetwork(host) || (/^(?!\d[\d.]*$)[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(host) && inBrackets === undefined)
  );
}
