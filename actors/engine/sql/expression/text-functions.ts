/**
 * Functions of texts. Positions count characters (code points), not bytes and not UTF-16 units. `functions.ts` burns fuel for the texts
 * that they are given; a function that makes or searches more burns for that itself, beforehand.
 */
import { indexOfText, placesOf } from '#actors/kit/find-text.ts';
import { SqlFault } from '../fault.ts';
import type { Value } from '../type.ts';
import { bounded, burnText } from '../value/text-cost.ts';

const WIDE = /[\ud800-\udfff]/;

/** The UTF-16 unit at which a character begins; the length of a text with fewer characters. */
function unitOf(text: string, character: number): number {
  let unit = 0;
  for (let i = 0; i < character && unit < text.length; i++) unit += widthAt(text, unit);
  return unit;
}

/** The characters from one place (from 0) up to another. */
function slice(text: string, from: number, to: number): string {
  const [begin, end] = [Math.max(0, from), Math.max(0, to)];
  return WIDE.test(text) ? text.slice(unitOf(text, begin), unitOf(text, end)) : text.slice(begin, end);
}

export function lengthOf(text: Value): number {
  const given = text as string;
  if (!WIDE.test(given)) return given.length;
  let count = 0;
  for (let unit = 0; unit < given.length; unit += widthAt(given, unit)) count++;
  return count;
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
  burnText((part as string).length);
  const at = indexOfText(text as string, part as string);
  return at < 0 ? 0 : lengthOf((text as string).slice(0, at)) + 1;
}

function padding(text: Value, length: Value, fill: Value): { text: string; pad: string } {
  const wanted = bounded(Math.max(0, Number(length)));
  const missing = wanted - lengthOf(text);
  if (missing <= 0 || fill === '') return { text: slice(text as string, 0, wanted), pad: '' };
  const pad = (fill as string).repeat(Math.ceil(missing / lengthOf(fill)));
  return { text: text as string, pad: slice(pad, 0, missing) };
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

/** The text without the given characters at its ends. */
export function trim(given: Value, characters: Value, side: Side): string {
  const text = given as string;
  burnText(4 * (characters as string).length);
  const unwanted = new Set(Array.from(characters as string, (char) => char.codePointAt(0)!));
  let from = 0;
  let to = text.length;
  if (side !== 'right') while (from < to && unwanted.has(text.codePointAt(from)!)) from += widthAt(text, from);
  if (side !== 'left')
    while (to > from && unwanted.has(text.codePointAt(lastBefore(text, to))!)) to = lastBefore(text, to);
  return text.slice(from, to);
}

function widthAt(text: string, unit: number): number {
  return text.codePointAt(unit)! > 0xffff ? 2 : 1;
}

/** The unit at which the last character before `unit` begins. */
function lastBefore(text: string, unit: number): number {
  return unit > 1 && widthAt(text, unit - 2) === 2 ? unit - 2 : unit - 1;
}

export function replace(given: Value, part: Value, by: Value): string {
  const [text, from, to] = [given as string, part as string, by as string];
  if (from === '') return text;
  const pieces: string[] = [];
  let begin = 0;
  for (const place of placesOf(text, from)) {
    pieces.push(text.slice(begin, place));
    begin = place + from.length;
  }
  if (pieces.length === 0) return text;
  bounded(text.length + pieces.length * (to.length - from.length));
  pieces.push(text.slice(begin));
  return pieces.join(to);
}

export function repeat(text: Value, count: Value): string {
  const many = Math.max(0, Number(count));
  if (text === '' || many === 0) return '';
  bounded((text as string).length * many);
  return (text as string).repeat(many);
}

export function reverse(given: Value): string {
  const text = given as string;
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[text.length - 1 - i] = text.charCodeAt(i);
  if (WIDE.test(text)) turnPairs(units);
  return Buffer.from(units.buffer).toString('utf16le');
}

/** Restores the order of surrogate pairs in a reversed text. */
function turnPairs(units: Uint16Array): void {
  for (let i = 0; i + 1 < units.length; i++) {
    const [low, high] = [units[i]!, units[i + 1]!];
    if ((low & 0xfc00) !== 0xdc00 || (high & 0xfc00) !== 0xd800) continue;
    units[i] = high;
    units[++i] = low;
  }
}

/** The n-th piece between separators, counted from the end when n is negative; '' where there is none. */
export function splitPart(given: Value, separator: Value, n: Value): string {
  const [text, between] = [given as string, separator as string];
  const at = Number(n);
  if (at === 0) throw new SqlFault('field position must not be zero');
  if (between === '') return at === 1 || at === -1 ? text : '';
  const wanted = at > 0 ? at : at + 1 + countPieces(text, between);
  let piece = 1;
  let begin = 0;
  for (const place of placesOf(text, between)) {
    if (piece === wanted) return text.slice(begin, place);
    piece++;
    begin = place + between.length;
  }
  return piece === wanted ? text.slice(begin) : '';
}

function countPieces(text: string, separator: string): number {
  let count = 1;
  for (const _ of placesOf(text, separator)) count++;
  return count;
}
