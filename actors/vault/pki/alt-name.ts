/** Subject alternative names (RFC 5280 §4.2.1.6): DNS names, IP addresses and URIs; other kinds are refused. */
import { isIPv4, isIPv6 } from 'node:net';
import type { DerReader } from './der-read.ts';
import { element, implicit, sequence } from './der-write.ts';

export interface AltNames {
  readonly dns: readonly string[];
  /** Each in its shortest text form. */
  readonly ip: readonly string[];
  readonly uri: readonly string[];
}

export const NO_NAMES: AltNames = { dns: [], ip: [], uri: [] };

const DNS = 2;
const URI = 6;
const IP = 7;

export const nameCount = ({ dns, ip, uri }: AltNames): number => dns.length + ip.length + uri.length;

/** The finished GeneralNames. */
export function writeAltNames({ dns, ip, uri }: AltNames): Buffer {
  return sequence(
    ...dns.map((name) => element(implicit(DNS), Buffer.from(name, 'latin1'))),
    ...ip.map((address) => element(implicit(IP), addressBytes(address))),
    ...uri.map((text) => element(implicit(URI), Buffer.from(text, 'latin1'))),
  );
}

/** Names from a request or a certificate; a kind that this vault does not know is a fault. */
export function readAltNames(reader: DerReader): AltNames {
  const dns: string[] = [];
  const ip: string[] = [];
  const uri: string[] = [];
  const names = reader.enter();
  while (!names.done) {
    const { tag, content } = names.next();
    if (tag === implicit(DNS)) dns.push(ascii(names, content));
    else if (tag === implicit(URI)) uri.push(ascii(names, content));
    else if (tag === implicit(IP) && (content.length === 4 || content.length === 16)) ip.push(addressText(content));
    else throw names.fault('a subject alternative name is neither a DNS name nor an IP address nor a URI');
  }
  return { dns, ip, uri };
}

function ascii(reader: DerReader, bytes: Buffer): string {
  if (bytes.length === 0 || bytes.some((byte) => byte <= 0x20 || byte >= 0x7f))
    throw reader.fault('a name is empty or not printable ASCII');
  return bytes.toString('latin1');
}

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const HOST = new RegExp(String.raw`^(\*\.)?${LABEL}(\.${LABEL})*$`, 'i');

/** Whether it can be a DNS name of a certificate: letters, digits, hyphens, perhaps one leftmost `*` label. RFC 6125 §6.4.3. */
const isDnsName = (text: string): boolean => text.length <= 253 && HOST.test(text);

const isAddress = (text: string): boolean => isIPv4(text) || (isIPv6(text) && !text.includes('%'));

/** A URI with a scheme and an authority, printable ASCII. */
function isUri(text: string): boolean {
  return text.length <= 2048 && /^[a-z][a-z0-9+.-]*:\/\/[\x21-\x7e]+$/.test(text) && URL.canParse(text);
}

/** Names in their one written form, without duplicates; a sentence about the first invalid one. */
export function canonicalNames({ dns, ip, uri }: AltNames): AltNames | string {
  const wrong =
    dns.find((name) => !isDnsName(name)) ??
    ip.find((address) => !isAddress(address)) ??
    uri.find((text) => !isUri(text));
  if (wrong !== undefined)
    return 'a name is not a valid DNS name (dns), IP address (ip) or URI with an authority (uri)';
  const once = (names: readonly string[]): string[] => [...new Set(names)];
  return {
    dns: once(dns.map((name) => name.toLowerCase())),
    ip: once(ip.map((address) => addressText(addressBytes(address)))),
    uri: once(uri),
  };
}

/** 4 or 16 bytes of a valid address. */
function addressBytes(text: string): Buffer {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number));
  const host = new URL(`http://[${text}]`).hostname.slice(1, -1); // compressed, all hexadecimal
  const [left = '', right] = host.split('::');
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const head = groups(left);
  const tail = right === undefined ? [] : groups(right);
  const all = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
