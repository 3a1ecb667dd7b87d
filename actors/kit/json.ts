/**
 * Strict JSON: what `JSON.parse` takes, without duplicate keys, `__proto__`, lone surrogates and depth bombs (docs/contract/common.md §4.5).
 * One pass over the text counts members and depth; one walk over the value counts keys: the counts differ when a key is there twice.
 */
import { limits } from '#config/limits.ts';
import { LONG_CHARS_MIN, parseLong } from './long-number.ts';

const DEPTH_MAX = 64;
/** An object costs more than a member: each may have a shape of its own. */
const OBJECT_STEPS = 4;

export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: string };

const bad = (fault: string): JsonResult => ({ ok: false, fault });

/** Parses JSON text strictly. The fault says what and, where it is known, where. */
export function parseJson(text: string): JsonResult {
  return parseWith(text, null);
}

/** As `parseJson`; a number whose digits a double would lose becomes a LongNumber. For values of an entity's fields. */
export function parseExactJson(text: string): JsonResult {
  return parseWith(text, []);
}

/** `long` receives the places of long numbers, when their digits matter. */
function parseWith(text: string, long: number[] | null): JsonResult {
  const { members, steps, deep } = countMembers(text, long);
  if (deep) return bad(`nesting deeper than ${DEPTH_MAX}`);
  if (steps > limits.door.jsonStepsMax)
    return bad(
      `more than ${limits.door.jsonStepsMax} members, items and objects (an object counts ${OBJECT_STEPS} times)`,
    );
  let value: unknown;
  try {
    value = long === null || long.length === 0 ? JSON.parse(text) : parseLong(text, long);
  } catch (error) {
    return bad((error as Error).message);
  }
  const seen = { keys: 0, fault: '' };
  walk(value, text.includes('\\u'), seen);
  if (seen.fault !== '') return bad(seen.fault);
  if (seen.keys !== members) return bad('duplicate key in an object');
  return { ok: true, value };
}

interface Count {
  /** `:` outside strings. */
  readonly members: number;
  /** What the text would cost to parse, before it is parsed. */
  readonly steps: number;
  /** Whether the nesting passes the bound. */
  readonly deep: boolean;
}

/** One pass over the text; `long` is given where long numbers begin and end. Broken text is left to JSON.parse. */
function countMembers(text: string, long: number[] | null): Count {
  let members = 0;
  let steps = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        for (i++; i < text.length && text.charCodeAt(i) !== 0x22; i++) if (text.charCodeAt(i) === 0x5c) i++;
        break;
      case 0x3a: // :
        members++;
        break;
      case 0x2c: // ,
        steps++;
        break;
      case 0x7b: // {
      case 0x5b: // [
        steps += text.charCodeAt(i) === 0x7b ? OBJECT_STEPS : 1;
        if (++depth > DEPTH_MAX) return { members, steps, deep: true };
        break;
      case 0x7d:
      case 0x5d:
        depth--;
        break;
      case 0x2d:
      case 0x30:
      case 0x31:
      case 0x32:
      case 0x33:
      case 0x34:
      case 0x35:
      case 0x36:
      case 0x37:
      case 0x38:
      case 0x39: {
        const from = i;
        while (isNumeral(text.charCodeAt(i + 1))) i++;
        if (long !== null && i + 1 - from >= LONG_CHARS_MIN) long.push(from, i + 1);
        break;
      }
    }
  }
  return { members, steps: steps + members, deep: false };
}

/** Digits, a point, an exponent and signs. */
function isNumeral(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2d || code === 0x2b || (code | 0x20) === 0x65;
}

function walk(value: unknown, escapes: boolean, seen: { keys: number; fault: string }): void {
  if (typeof value === 'string') {
    if (escapes && !value.isWellFormed()) seen.fault = 'lone surrogate in a string';
  } else if (Array.isArray(value)) {
    for (const item of value) walk(item, escapes, seen);
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      seen.keys++;
      if (key === '__proto__') seen.fault = 'the key __proto__ is not allowed';
      else if (escapes && !key.isWellFormed()) seen.fault = 'lone surrogate in a key';
      walk((value as Record<string, unknown>)[key], escapes, seen);
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of a body that crossed the wire as latin1 or bytes, or null when it is not UTF-8. */
export function bodyText(body: string | Uint8Array): string | null {
  if (typeof body === 'string') {
    // oxlint-disable-next-line no-control-regex
    if (!/[^\x00-\x7f]/.test(body)) return body;
    body = Buffer.from(body, 'latin1');
  }
  try {
    return utf8.decode(body);
  } catch {
    return null;
  }
}
