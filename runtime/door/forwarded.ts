/**
 * The addresses that proxies wrote into `X-Forwarded-For` and `Forwarded` (RFC 7239), from the last proxy backwards. Everything to
 * the left of the first address that is no declared proxy is the caller's own invention.
 */
import { isIP } from 'node:net';
import { callerIp } from './caller-ip.ts';

/** What a proxy wrote of the one that called it: an address, or '' where it said none that can be read. */
export type Hops = Iterable<string>;

const DOTTED_WITH_PORT = /^([0-9.]+)(?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?$/;
const IN_BRACKETS = /^\[([0-9A-Fa-f:.]+)\](?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?$/;

/**
 * The address of a node: IPv4 or IPv6, alone, in brackets or with a port (RFC 7239 §6). '' for `unknown`, an obfuscated id and
 * anything else; a zone means nothing but to the machine that wrote it.
 */
function nodeAddress(text: string): string {
  if (isIP(text) !== 0) return text.includes('%') ? '' : callerIp(text);
  const address = IN_BRACKETS.exec(text)?.[1] ?? DOTTED_WITH_PORT.exec(text)?.[1] ?? '';
  return isIP(address) === 0 ? '' : callerIp(address);
}

/** The hops of `X-Forwarded-For`, the last proxy's word first; read from the right, so that a long chain of a caller costs nothing. */
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
 * The hops of `Forwarded`, the last proxy's word first. What breaks the grammar gives null: an open quote of a caller could
 * swallow what the proxies wrote behind it.
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
  /** Anything at all stood in it: an empty element of a list means nothing (RFC 9110 §5.6.1). */
  readonly said: boolean;
  readonly for: string;
  /** Where its comma or the end is. */
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
