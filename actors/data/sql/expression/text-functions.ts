/** Functions of texts. Positions count characters (code points), not bytes and not UTF-16 units. */
import { SqlFault } from '../fault.ts';
import { limits } from '#config/limits.ts';
import type { Value } from '../type.ts';

const WIDE = /[\ud800-\udfff]/;

/** The characters from one place (from 0) up to another. */
function slice(text: string, from: number, to: number): string {
  if (!WIDE.test(text)) return text.slice(Math.max(0, from), Math.max(0, to));
  return Array.from(text).slice(Math.max(0, from), Math.max(0, to)).join('');
}

export function lengthOf(text: Value): number {
  const given = text as string;
  return WIDE.test(given) ? Array.from(given).length : given.length;
}

export function substring(text: Value, start: Value, length: Value = Infinity): string {
  const from = Number(start) - 1;
  const count = Number(length);
  if (count < 0) throw new SqlFault('negative substring length not allowed');
  return slice(text as string, from, from + count);
}

/** The first characters; a negative count leaves out the last ones. */
export function left(text: Value, count: Value): string {
  const many = Number(count);
  return slice(text as string, 0, many < 0 ? lengthOf(text) + many : many);
}

export function right(text: Value, count: Value): string {
  const many = Number(count);
  const length = lengthOf(text);
  return slice(text as string, many < 0 ? -many : length - many, length);
}

export function position(text: Value, part: Value): number {
  const at = (text as string).indexOf(part as string);
  return at < 0 ? 0 : lengthOf((text as string).slice(0, at)) + 1;
}

function padding(text: Value, length: Value, fill: Value): { text: string; pad: string } {
  const wanted = Math.max(0, Math.min(Number(length), limits.sql.charsMax + 1));
  if (wanted > limits.sql.charsMax) throw new SqlFault(`a text has more than ${limits.sql.charsMax} characters`);
  const missing = wanted - lengthOf(text);
  const filler = Array.from(fill as string);
  if (missing <= 0 || filler.length === 0) return { text: slice(text as string, 0, wanted), pad: '' };
  return { text: text as string, pad: Array.from({ length: missing }, (_, i) => filler[i % filler.length]).join('') };
}

export function padLeft(text: Value, length: Value, fill: Value = ' '): string {
  const padded = padding(text, length, fill);
  return padded.pad + padded.text;
}

export function padRight(text: Value, length: Value, fill: Value = ' '): string {
  const padded = padding(text, length, fill);
  return padded.text + padded.pad;
}

export type Side = 'left' | 'right' | 'both';

/** Without the given characters at its ends. */
export function trim(text: Value, characters: Value, side: Side): string {
  const unwanted = new Set(characters as string);
  const all = Array.from(text as string);
  let from = 0;
  let to = all.length;
  if (side !== 'right') while (from < to && unwanted.has(all[from]!)) from++;
  if (side !== 'left') while (to > from && unwanted.has(all[to - 1]!)) to--;
  return all.slice(from, to).join('');
}

export function replace(text: Value, from: Value, to: Value): string {
  if (from === '') return text as string;
  const pieces = (text as string).split(from as string);
  const length = (text as string).length + (pieces.length - 1) * ((to as string).length - (from as string).length);
  if (length > limits.sql.charsMax) throw new SqlFault(`a text has more than ${limits.sql.charsMax} characters`);
  return pieces.join(to as string);
}

export function repeat(text: Value, count: Value): string {
  const many = Math.max(0, Number(count));
  if ((text as string).length * many > limits.sql.charsMax)
    throw new SqlFault(`a text has more than ${limits.sql.charsMax} characters`);
  return (text as string).repeat(text === '' ? 0 : many);
}

export function reverse(text: Value): string {
  return Array.from(text as string)
    .toReversed()
    .join('');
}

/** The n-th of the pieces between separators, from the end when n is negative; empty where there is none. */
export function splitPart(text: Value, separator: Value, n: Value): string {
  const at = Number(n);
  if (at === 0) throw new SqlFault('field position must not be zero');
  const pieces = separator === '' ? [text as string] : (text as string).split(separator as string);
  return pieces.at(at > 0 ? at - 1 : at) ?? '';
}
