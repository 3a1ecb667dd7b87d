/** The text form of a caller's address, the same on both servers. */
import { SocketAddress } from 'node:net';

/** Shortest form of an address; IPv4-mapped IPv6 as IPv4 (RFC 5952 §4, RFC 4291 §2.5.5.2). '' stays ''. */
export function callerIp(text: string): string {
  if (!text.includes(':')) return text;
  const address = new SocketAddress({ address: text, family: 'ipv6' }).address;
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
