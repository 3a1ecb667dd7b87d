/**
 * Strict JSON: what `JSON.parse` takes, less duplicate keys, `__proto__`, lone surrogates and depth bombs (DESIGN §9).
 * One pass over the text counts members and depth; one walk over the value counts keys: they differ when a key came twice.
 */
const DEPTH_MAX = 64;

export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: string };

const bad = (fault: string): JsonResult => ({ ok: false, fault });

/** Parses JSON text strictly. The fault says what and, where it is known, where. */
export function parseJson(text: string): JsonResult {
  const members = countMembers(text);
  if (members < 0) return bad(`nesting deeper than ${DEPTH_MAX}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return bad((error as Error).message);
  }
  const seen = { keys: 0, fault: '' };
  walk(value, text.includes('\\u'), seen);
  if (seen.fault !== '') return bad(seen.fault);
  if (seen.keys !== members) return bad('duplicate key in an object');
  return { ok: true, value };
}

/** Number of `:` outside strings, or -1 when the nesting passes the bound. Broken text is left to JSON.parse. */
function countMembers(text: string): number {
  let members = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        for (i++; i < text.length && text.charCodeAt(i) !== 0x22; i++) if (text.charCodeAt(i) === 0x5c) i++;
        break;
      case 0x3a: // :
        members++;
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > DEPTH_MAX) return -1;
        break;
      case 0x7d:
      case 0x5d:
        depth--;
        break;
    }
  }
  return members;
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
