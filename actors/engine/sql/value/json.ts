/**
 * JSON as statements make and read it: PostgreSQL's `jsonb`. What a statement makes may hold one value many times over, so it is measured
 * before it is kept: `measured` burns for each part, and refuses what is too large or nested too deep.
 */
import { burn, burnChars } from '#actors/kit/pace/fuel.ts';
import { shown } from '#actors/kit/shown.ts';
import { limits } from '#config/limits.ts';
import { SqlFault } from '../fault.ts';
import { elementOf, isList, type SqlType, type Value } from '../type.ts';
import { intervalText, type Interval } from './interval.ts';
import { bounded } from './text-cost.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = Readonly<Record<string, Json>>;

export function isObject(value: Value): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value, once it is known to have no more characters and levels than a statement may make. Burns for its parts. */
export function measured(value: Json): Json {
  sizeOf(value, 1, 0);
  return value;
}

function sizeOf(value: Json, level: number, before: number): number {
  burn(1);
  let chars = before + 1;
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new SqlFault('a number in the JSON is beyond a double; write it as a text');
  if (typeof value === 'string') chars += checkedText(value).length;
  else if (typeof value === 'object' && value !== null) {
    if (level > limits.sql.jsonLevelsMax)
      throw new SqlFault(`a JSON value has more than ${limits.sql.jsonLevelsMax} levels`);
    if (Array.isArray(value)) for (const one of value as readonly Json[]) chars = sizeOf(one, level + 1, chars);
    else
      for (const [name, one] of Object.entries(value)) chars = sizeOf(one, level + 1, chars + checkedName(name).length);
  }
  if (chars > limits.sql.charsMax) throw new SqlFault(`a JSON value has more than ${limits.sql.charsMax} characters`);
  return chars;
}

/** What a body of a request may not have either (docs/contract/common.md §4.5). */
function checkedText(text: string): string {
  if (!text.isWellFormed()) throw new SqlFault('a text in the JSON has half a character');
  return text;
}

function checkedName(name: string): string {
  if (name === '__proto__') throw new SqlFault('the name __proto__ may not stand in JSON');
  return checkedText(name);
}

/** The text as JSON. Throws SqlFault for a text that is none. */
export function parseJson(text: string): Json {
  bounded(text.length);
  try {
    return measured(JSON.parse(text) as Json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SqlFault(`invalid input syntax for type json: "${shown(text)}"`);
  }
}

/** Names as jsonb orders them: shorter ones first, then by their bytes. */
function byName(a: string, b: string): number {
  const [one, two] = [Buffer.byteLength(a), Buffer.byteLength(b)];
  return one === two ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : one - two;
}

export function namesOf(value: JsonObject): string[] {
  const names = Object.keys(value);
  burn(names.length);
  return names.sort(byName);
}

/** The text that PostgreSQL gives for a jsonb. */
export function jsonText(value: Value): string {
  const pieces: string[] = [];
  let chars = 0;
  const write = (piece: string): void => {
    chars += piece.length;
    burnChars(piece.length + 8);
    if (chars > limits.sql.charsMax) bounded(chars);
    pieces.push(piece);
  };
  const visit = (one: Json): void => {
    if (typeof one !== 'object' || one === null)
      return write(typeof one === 'number' ? numberText(one) : JSON.stringify(one));
    const isArray = Array.isArray(one);
    write(isArray ? '[' : '{');
    if (isArray)
      (one as readonly Json[]).forEach((item, i) => {
        if (i > 0) write(', ');
        visit(item);
      });
    else
      namesOf(one as JsonObject).forEach((name, i) => {
        write(`${i > 0 ? ', ' : ''}${JSON.stringify(name)}: `);
        visit((one as JsonObject)[name]!);
      });
    write(isArray ? ']' : '}');
  };
  visit(value as Json);
  return pieces.join('');
}

/** A number without an exponent, as jsonb shows it. */
function numberText(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const [mantissa, exponent] = text.split('e') as [string, string];
  const negative = mantissa.startsWith('-');
  const digits = mantissa.replace(/[-.]/g, '');
  const point = (negative ? mantissa.slice(1) : mantissa).split('.', 1)[0]!.length + Number(exponent);
  const plain = point <= 0 ? `0.${'0'.repeat(-point)}${digits}` : digits.padEnd(point, '0');
  return negative ? `-${plain}` : plain;
}

/** The text of `->>`: a text without its quotes, null for JSON's null. */
export function plainText(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : jsonText(value);
}

/** How a value of a type becomes JSON: an exact decimal is the nearest double, and a text where a double no longer tells whole numbers apart. */
export function jsonOf(type: SqlType): (value: Value) => Json {
  if (isList(type)) {
    const one = jsonOf(elementOf(type));
    return (value) => (value === null ? null : (value as readonly Value[]).map(one));
  }
  if (type === 'numeric') return (value) => (value === null ? null : numberOrText(value as string));
  if (type === 'interval') return (value) => (value === null ? null : intervalText(value as Interval));
  return (value) => (value ?? null) as Json;
}

function numberOrText(digits: string): Json {
  const number = Number(digits);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : digits;
}

/** Equality of two JSON values; the order of names does not count. */
function isEqual(a: Json, b: Json): boolean {
  burn(1);
  if (typeof a === 'string' && typeof b === 'string') burnChars(a.length);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, two] = [Object.entries(a), b as JsonObject];
  return (
    one.length === Object.keys(b).length &&
    one.every(([name, value]) => Object.hasOwn(two, name) && isEqual(value, two[name]!))
  );
}

/** `@>`: whether `a` has all that `b` has. An array contains a plain value that is among its values, at the top only. */
export function contains(a: Json, b: Json): boolean {
  if (Array.isArray(a) && (typeof b !== 'object' || b === null)) return a.some((one) => isEqual(one as Json, b));
  return holds(a, b);
}

function holds(a: Json, b: Json): boolean {
  burn(1);
  if (typeof b !== 'object' || b === null) return isEqual(a, b);
  if (Array.isArray(b))
    return Array.isArray(a) && b.every((wanted) => a.some((one) => holds(one as Json, wanted as Json)));
  if (!isObject(a)) return false;
  return Object.entries(b as JsonObject).every(([name, wanted]) => Object.hasOwn(a, name) && holds(a[name]!, wanted));
}

/** The part of a value under a name, or at a place (from the end when it is negative). */
export function memberOf(value: Json, key: string | number): Json | undefined {
  if (typeof key === 'number') return Array.isArray(value) ? (value.at(key) as Json | undefined) : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The part of a value at the end of a path; in arrays the steps are places. */
export function partAt(value: Json, path: readonly (string | null)[]): Json | undefined {
  burn(path.length);
  let part: Json | undefined = value;
  for (const step of path) {
    if (part === undefined || step === null) return undefined;
    if (!Array.isArray(part)) part = memberOf(part, step);
    else part = /^-?\d{1,9}$/.test(step) ? memberOf(part, Number(step)) : undefined;
  }
  return part;
}
