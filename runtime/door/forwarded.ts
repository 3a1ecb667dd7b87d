/**
 * The addresses that proxies wrote into `X-Forwarded-For` and `Forwarded` (RFC 7239), from the last proxy backwards. Left of the first
 * address that is no declared proxy the caller may have written anything.
 */
import { isIP } from 'node:net';
import { callerIp } from './caller-ip.ts';

/** For each hop the address from which a proxy says that it was called; '' where it wrote none that can be read. */
export type Hops = Iterable<string>;

const DOTTED_WITH_PORT = /^([0-9.]+)(?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?$/;
const IN_BRACKETS = /^\[([0-9A-Fa-f:.]+)\](?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?$/;

/**
 * The address of a node: IPv4 or IPv6, alone, in brackets or with a port (RFC 7239 §6). '' for `unknown`, an obfuscated id and
 * anything else, an address with a zone included.
 */
function nodeAddress(text: string): string {
  if (isIP(text) !== 0) return text.includes('%') ? '' : callerIp(text);
  const address = IN_BRACKETS.exec(text)?.[1] ?? DOTTED_WITH_PORT.exec(text)?.[1] ?? '';
  return isIP(address) === 0 ? '' : callerIp(address);
}

/** The hops of `X-Forwarded-For`, the last proxy's first. Read lazily from the right, so that a caller's long chain costs nothing. */
export function* forwardedFor(value: string): Hops {
  for (let end = value.length; end > 0;) {
    const comma = value.lastIndexOf(',', end - 1);
    const item = value.slice(comma + 1, end).trim();
    if (item !== '') yield nodeAddress(item);
    end = comma;
  }
}

/** One `name=value` of an element: the value a quoted string, or whatever has no delimiter in it (a bare `1.2.3.4:80` is common). */
const PAIR = /[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"((?:[\t !#-[\]-~]|\\[\t -~])*)"|([^\s",;]+))[ \t]*/y;
const BLANK = /[ \t]*/y;

/**
 * The hops of `Forwarded`, the last proxy's first; null where the value breaks the grammar, since a quote that a caller leaves open
 * could swallow what the proxies wrote behind it.
 */
export function forwarded(value: string): Hops | null {
  const hops: string[] = [];
  let at = 0;
  for (;;) {
    const element = elementAt(value, at);
    if (element === null) return null;
    if (element.said) hops.push(element.for);
    if (element.end === value.length) return hops.toReversed();
    at = element.end + 1;
  }
}

interface Element {
  /** False for an empty element, which a list may contain and which means nothing (RFC 9110 §5.6.1). */
  readonly said: boolean;
  readonly for: string;
  /** The index of the comma behind it, or of the end. */
  readonly end: number;
}

function elementAt(value: string, start: number): Element | null {
  let at = start;
  let address: string | null = null;
  let said = false;
  for (;;) {
    PAIR.lastIndex = at;
    const pair = PAIR.exec(value);
    if (pair === null) {
      BLANK.lastIndex = at;
      BLANK.exec(value);
      at = BLANK.lastIndex;
    } else {
      said = true;
      at = PAIR.lastIndex;
      if (pair[1]!.toLowerCase() === 'for') {
        if (address !== null) return null;
        address = nodeAddress(pair[3] ?? pair[2]!.replaceAll(/\\(.)/g, '$1'));
      }
    }
    const next = value[at];
    if (next === undefined || next === ',') return { said, for: address ?? '', end: at };
    if (next !== ';') return null;
    at++;
  }
}
