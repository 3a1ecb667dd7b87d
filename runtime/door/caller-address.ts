/**
 * Where a caller's address comes from is the listener's to say. The gateway is the node's own edge: the address is the socket's
 * peer, and what a caller writes into a header counts for nothing, unless the peer is a configured proxy (DESIGN §8). Intake's
 * own listener stands behind somebody else's gateway: the address comes from that gateway's header and from nowhere else, and a
 * missing or unparsable one is '', which all such callers share (operations.md "Authentication", Intake).
 */
import { BlockList, isIP } from 'node:net';
import type { Platform } from '#config/platform.ts';
import { callerIp } from './caller-ip.ts';
import type { Visit } from './port.ts';

/** The caller's address in its shortest text form, or '' when nobody can say. Inside the handler's synchronous part. */
export type CallerAddress = (visit: Visit) => string;

/** The socket's peer. */
export const bySocket: CallerAddress = (visit) => visit.ip();

/** The address in one header: forwarded-for chains are not parsed. */
export function byHeader(name: string): CallerAddress {
  const header = name.toLowerCase();
  return (visit) => soundIp(visit.header(header));
}

/** The header's address when the peer lies in one of the networks (`10.0.0.0/8`, `::1`), else the peer's own. */
export function byTrustedProxy(networks: readonly string[], name: string): CallerAddress {
  const trusted = blockListOf(networks);
  const named = byHeader(name);
  return (visit) => {
    const peer = visit.ip();
    if (peer === '' || !trusted.check(peer, familyOf(peer))) return peer;
    return named(visit) || peer;
  };
}

/** How the listener of this name learns who calls. */
export function callerAddressOf(platform: Platform, listener: string): CallerAddress {
  const name = platform.intake.security.client_ip_header;
  if (listener === 'intake') return byHeader(name);
  const { trusted_proxies: proxies } = platform.gateway;
  return listener === 'gateway' && proxies.length > 0 ? byTrustedProxy(proxies, name) : bySocket;
}

/** An address without a zone, which means nothing to anybody but the one who wrote it. */
function soundIp(text: string): string {
  return isIP(text) === 0 || text.includes('%') ? '' : callerIp(text);
}

function familyOf(ip: string): 'ipv4' | 'ipv6' {
  return isIP(ip) === 4 ? 'ipv4' : 'ipv6';
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string | undefined];
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}
