/** Parses application/x-www-form-urlencoded (URL Standard, section 5.1) strictly: broken escapes and UTF-8 are faults, the pairs are bounded. */

export type Pairs = readonly (readonly [name: string, value: string])[];

/** The pairs of a body given as latin1 text, or a message that says what is wrong with it. */
export function parseUrlencoded(text: string, pairsMax: number): Pairs | string {
  const pairs: [string, string][] = [];
  for (let start = 0; start <= text.length;) {
    const next = text.indexOf('&', start);
    const end = next < 0 ? text.length : next;
    if (end > start) {
      if (pairs.length === pairsMax) return `more than ${pairsMax} fields`;
      const pair = parsePair(text.slice(start, end));
      if (pair === null) return 'body is not valid UTF-8 in percent encoding';
      pairs.push(pair);
    }
    start = end + 1;
  }
  return pairs;
}

function parsePair(text: string): [string, string] | null {
  const at = text.indexOf('=');
  const name = decode(at < 0 ? text : text.slice(0, at));
  const value = at < 0 ? '' : decode(text.slice(at + 1));
  return name === null || value === null ? null : [name, value];
}

/** Escapes raw bytes above 7F first, so that one decoder checks all bytes. */
function decode(text: string): string | null {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  const escaped = /[\x80-\xff]/.test(spaced) ? spaced.replaceAll(/[\x80-\xff]/g, escapeByte) : spaced;
  if (!escaped.includes('%')) return escaped;
  try {
    return decodeURIComponent(escaped);
  } catch {
    return null;
  }
}

function escapeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16)}`;
}
