/** Where a text holds another, in linear time. The engine's own search may compare a long needle anew at each place: half a second for 50,000 characters in 100,000. */
import { burn } from './pace/fuel.ts';

/** Up to this length of the needle the engine's own search is linear (it shifts by the whole needle), and faster than the search here. */
const SHORT_MAX = 250;
/** Its search from the end compares each place with the whole needle. */
const SHORT_LAST_MAX = 24;
/** Characters per unit of fuel: of the engine's search, and of the search here. */
const QUICK_CHARS = 8;
const SLOW_CHARS = 4;

/** The first place at or after `from`; -1 when there is none. Burns for the characters that it looks at. */
export function indexOfText(text: string, needle: string, from = 0): number {
  if (needle.length > text.length - from) return -1;
  if (needle.length <= SHORT_MAX) {
    burn((text.length - from) / QUICK_CHARS);
    return text.indexOf(needle, from);
  }
  burn((text.length - from + needle.length) / SLOW_CHARS);
  return search(text, needle, from, 1);
}

/** As `indexOfText`, for repeated searches whose fuel was burned for the whole text. */
export function indexOfPaid(text: string, needle: string, from: number): number {
  if (needle.length > text.length - from) return -1;
  return needle.length <= SHORT_MAX ? text.indexOf(needle, from) : search(text, needle, from, 1);
}

/** The last place at or before `from`; -1 when there is none. Burns for the characters that it looks at. */
export function lastIndexOfText(text: string, needle: string, from = text.length): number {
  const last = Math.min(from, text.length - needle.length);
  if (last < 0) return -1;
  burn((last + 2 * needle.length) / SLOW_CHARS);
  if (needle.length <= SHORT_LAST_MAX) return text.lastIndexOf(needle, from);
  return search(text, needle, last + needle.length - 1, -1);
}

export function includesText(text: string, needle: string): boolean {
  return indexOfText(text, needle) !== -1;
}

/** The parts between the places of a separator. Burns for the characters that it looks at and makes. */
export function splitText(text: string, separator: string): string[] {
  if (separator.length <= SHORT_MAX) {
    burn(text.length / QUICK_CHARS + text.length / Math.max(1, separator.length));
    return text.split(separator);
  }
  // Between two places lies a whole separator, so that preparing each search costs no more than the search.
  burn((2 * text.length + separator.length) / SLOW_CHARS);
  const parts: string[] = [];
  let begin = 0;
  for (let at = search(text, separator, 0, 1); at !== -1; at = search(text, separator, begin, 1)) {
    parts.push(text.slice(begin, at));
    begin = at + separator.length;
  }
  parts.push(text.slice(begin));
  return parts;
}

/** Places of a needle that do not overlap, from the front. Burns for the text before it looks, and for each place. */
export function* placesOf(text: string, needle: string): Generator<number, void, void> {
  burn(needle.length <= SHORT_MAX ? text.length / QUICK_CHARS : (2 * text.length + needle.length) / SLOW_CHARS);
  for (let at = indexOfPaid(text, needle, 0); at !== -1; at = indexOfPaid(text, needle, at + needle.length)) {
    burn(1);
    yield at;
  }
}

/** Knuth, Morris and Pratt, from `from` in steps of 1 (needle as it stands) or -1 (needle from its end): the place of its first character. */
function search(text: string, needle: string, from: number, step: 1 | -1): number {
  const size = needle.length;
  const first = step === 1 ? 0 : size - 1;
  const borders = new Int32Array(size);
  for (let i = 1, border = 0; i < size; i++) {
    const code = needle.charCodeAt(first + step * i);
    while (border > 0 && code !== needle.charCodeAt(first + step * border)) border = borders[border - 1]!;
    if (code === needle.charCodeAt(first + step * border)) border++;
    borders[i] = border;
  }
  for (let at = from, matched = 0; at >= 0 && at < text.length; at += step) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== needle.charCodeAt(first + step * matched)) matched = borders[matched - 1]!;
    if (code === needle.charCodeAt(first + step * matched)) matched++;
    if (matched === size) return step === 1 ? at - size + 1 : at;
  }
  return -1;
}
