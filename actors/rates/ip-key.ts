/** One spelling for every address, so that a caller has one bucket however its address was written. */

/** The shared key of callers whose address is missing or cannot be parsed: one bucket for all (docs/contract/intake.md §6.2). */
export const UNKNOWN_IP = '';

/**
 * The key of a caller's address: dotted IPv4 (also for IPv4-mapped IPv6), or eight hexadecimal groups of IPv6, of which
 * only the first `ipv6Prefix` bits count. A zone (`%eth0`) is dropped. Unparsable text gives UNKNOWN_IP.
 */
export function ipKey(ip: string, ipv6Prefix: number): string {
  if (!ip.includes(':')) return ipv4(ip) < 0 ? UNKNOWN_IP : ip;
  const zone = ip.indexOf('%');
  const groups = ipv6Groups(zone < 0 ? ip : ip.slice(0, zone));
  if (groups === null) return UNKNOWN_IP;
  if (isMapped(groups)) return dotted(groups[6]!, groups[7]!);
  return masked(groups, ipv6Prefix);
}

/** The 32 bits of a dotted IPv4 address in its canonical spelling (no leading zeros), or -1. */
function ipv4(text: string): number {
  const parts = text.split('.');
  if (parts.length !== 4) return -1;
  let out = 0;
  for (const part of parts) {
    const value = Number(part);
    if (!(value >= 0 && value <= 255) || String(value) !== part) return -1;
    out = out * 256 + value;
  }
  return out;
}

function ipv6Groups(text: string): number[] | null {
  const gap = text.indexOf('::');
  if (gap < 0) {
    const groups = groupsOf(text, true);
    return groups?.length === 8 ? groups : null;
  }
  const head = groupsOf(text.slice(0, gap), false);
  const tail = groupsOf(text.slice(gap + 2), true);
  if (head === null || tail === null || head.length + tail.length > 7) return null;
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** Groups between colons; the last of an address may be a dotted IPv4 address, which makes two. */
function groupsOf(text: string, atEnd: boolean): number[] | null {
  if (text === '') return [];
  const out: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (atEnd && part.includes('.') && index === parts.length - 1) {
      const low = ipv4(part);
      if (low < 0) return null;
      out.push(Math.floor(low / 65_536), low % 65_536);
    } else {
      if (!isGroup(part)) return null;
      out.push(Number.parseInt(part, 16));
    }
  }
  return out;
}

function isGroup(text: string): boolean {
  if (text.length < 1 || text.length > 4) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const letter = code | 0x20;
    if (!((code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x66))) return false;
  }
  return true;
}

function isMapped(groups: readonly number[]): boolean {
  for (let i = 0; i < 5; i++) if (groups[i] !== 0) return false;
  return groups[5] === 0xffff;
}

function dotted(high: number, low: number): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

function masked(groups: readonly number[], prefix: number): string {
  let out = '';
  for (const [index, group] of groups.entries()) {
    const bits = Math.min(16, Math.max(0, prefix - index * 16));
    out += `${index === 0 ? '' : ':'}${(group & (0xffff << (16 - bits))).toString(16)}`;
  }
  return out;
}
