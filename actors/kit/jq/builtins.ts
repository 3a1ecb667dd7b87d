/** Builtins that make one value of values. An input whose error message is not certain is left to the reference tier. */
import { fromIso, gmtime, mktime, strftime, strptime, toIso } from './dates.ts';
import { frexp, ldexp, log2, logb, nearbyint, pow, significand } from './mathematics.ts';
import { add, splitText } from './arithmetic.ts';
import { deletePaths, updatePath } from './access.ts';
import { JqError, Unsure } from './faults.ts';
import { burn, burnChars } from '../pace/fuel.ts';
import { checkKey, compare, equals, isArray, isObject, sortedKeys, typeName } from './json.ts';
import type { Json } from './value.ts';
import { matches } from './regex.ts';
import { paySearch } from './search.ts';
import { keysOf } from './special.ts';
import {
  checkLength,
  checkSpelling,
  codePointLength,
  codePoints,
  describe,
  isAscii,
  jsonText,
  measureJson,
  payText,
  plainText,
} from './text.ts';
import { ends, trimLeft, trimmed, trimRight } from './trim.ts';

type Builtin = (input: Json, ...args: Json[]) => Json;

function arrayOf(value: Json): readonly Json[] {
  if (!isArray(value)) throw new Unsure('what is no array');
  burn(value.length);
  return value;
}

function textOf(value: Json): string {
  if (typeof value !== 'string') throw new Unsure('what is no text');
  return value;
}

function numberOf(value: Json): number {
  if (typeof value !== 'number') throw new JqError(`${describe(value)} number required`);
  return value;
}

function sureNumber(value: Json): number {
  if (typeof value !== 'number') throw new Unsure('what is no number');
  return value;
}

function length(value: Json): Json {
  if (value === null) return 0;
  if (typeof value === 'string') return codePointLength(value);
  if (typeof value === 'number') return Math.abs(value);
  if (isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw new JqError(`${describe(value)} has no length`);
}

function keys(value: Json, sorted: boolean): Json {
  if (isArray(value)) {
    burn(value.length);
    return value.map((_, i) => i);
  }
  if (isObject(value)) {
    const names = Object.keys(value);
    burn(names.length);
    return sorted ? sortedKeys(value) : names;
  }
  throw new JqError(`${describe(value)} has no keys`);
}

function has(value: Json, key: Json): Json {
  if (value === null && (typeof key === 'string' || typeof key === 'number')) return false;
  if (isObject(value) && typeof key === 'string') return Object.hasOwn(value, key);
  if (isArray(value) && typeof key === 'number' && Number.isInteger(key)) return key >= 0 && key < value.length;
  if (typeof key === 'number' && !Number.isInteger(key)) throw new Unsure('half an index');
  throw new JqError(`Cannot check whether ${typeName(value)} has a ${typeName(key)} key`);
}

function contains(a: Json, b: Json): boolean {
  burn(1);
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(b);
    burn(names.length);
    return names.every((key) => Object.hasOwn(a, key) && contains(a[key]!, b[key]!));
  }
  if (isArray(a) && isArray(b)) return b.every((wanted) => a.some((item) => containsQuietly(item, wanted)));
  if (typeof a === 'string' && typeof b === 'string') {
    paySearch(a, b);
    return a.includes(b);
  }
  if (typeName(a) === typeName(b)) return equals(a, b);
  throw new JqError(`${describe(a)} and ${describe(b)} cannot have their containment checked`);
}

/** Items of an array may be of any kind; only those of the same kind are compared. */
function containsQuietly(a: Json, b: Json): boolean {
  burn(1);
  return typeName(a) === typeName(b) && contains(a, b);
}

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function toNumber(value: Json): Json {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') {
    burnChars(value.length * 2);
    if (PLAIN_NUMBER.test(value) && String(Number(value)) === value) return Number(value);
    if (!/^[a-z ]+$/.test(value) || /nan|inf/.test(value)) throw new Unsure('the spelling of a number');
  }
  throw new JqError(`${describe(value)} cannot be parsed as a number`);
}

/** Only text that reads back as it stands, so that neither spelling nor doubled keys get lost. */
function fromJson(value: Json): Json {
  const text = textOf(value);
  // The smallest items, such as `[],`, are held in some ten times their characters.
  burn(text.length / 2);
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json;
  } catch {
    throw new Unsure('text that is not JSON');
  }
  // Too deep a value is jq's to refuse.
  measureJson(parsed, checkSpelling);
  if (JSON.stringify(parsed).replaceAll(/\s/g, '') !== text.replaceAll(/\s/g, '')) throw new Unsure('unusual JSON');
  return parsed;
}

function extreme(value: Json, isLeast: boolean): Json {
  let best: Json | undefined;
  for (const item of arrayOf(value)) if (best === undefined || compare(item, best) < 0 === isLeast) best = item;
  return best ?? null;
}

function sort(value: Json): Json[] {
  if (!isArray(value)) throw new JqError(`${describe(value)} cannot be sorted, as it is not an array`);
  burn(value.length * 4);
  return [...value].sort(compare);
}

function unique(value: Json): Json {
  return sort(value).filter((item, i, all) => i === 0 || !equals(all[i - 1]!, item));
}

function reverse(value: Json): Json {
  return value === null ? [] : arrayOf(value).toReversed();
}

function flatten(value: Json, depth: Json): Json {
  if (typeof depth !== 'number') throw new Unsure('a depth that is no number');
  if (depth < 0) throw new JqError('flatten depth must not be negative');
  const out: Json[] = [];
  const fill = (items: readonly Json[], left: number): void => {
    burn(items.length);
    for (const item of items) {
      if (isArray(item) && left > 0) fill(item, left - 1);
      else out.push(item);
    }
  };
  fill(arrayOf(value), depth);
  return out;
}

function ascii(value: Json, isUp: boolean): Json {
  if (typeof value !== 'string') throw new JqError('explode input must be a string');
  burnChars(value.length * 2);
  const shift = (text: string): string => (isUp ? text.toUpperCase() : text.toLowerCase());
  if (isAscii(value)) return shift(value);
  burn(value.length);
  return value.replace(isUp ? /[a-z]+/g : /[A-Z]+/g, shift);
}

function explode(value: Json): Json {
  if (typeof value !== 'string') throw new JqError('explode input must be a string');
  burn(value.length);
  return codePoints(value).map((char) => char.codePointAt(0)!);
}

function implode(value: Json): Json {
  if (!isArray(value)) throw new JqError('implode input must be an array');
  const isPoint = (point: Json): boolean =>
    typeof point === 'number' &&
    Number.isInteger(point) &&
    point > 0 &&
    point < 0x110000 &&
    (point < 0xd800 || point > 0xdfff);
  burn(2 * value.length);
  if (!value.every(isPoint)) throw new Unsure('what is no code point');
  payText(2 * value.length);
  return value.map((point) => String.fromCodePoint(point as number)).join('');
}

function split(value: Json, separator: Json): Json {
  if (typeof value !== 'string' || typeof separator !== 'string')
    throw new JqError('split input and separator must be strings');
  return splitText(value, separator);
}

/** Numbers and booleans as JSON, null as nothing. */
function join(value: Json, separator: Json): Json {
  const items = arrayOf(value);
  if (items.length === 0) return '';
  if (typeof separator !== 'string') throw new Unsure('a separator that is no text');
  let chars = 0;
  const texts: string[] = [];
  for (const item of items) {
    const part = typeof item === 'number' || typeof item === 'boolean' ? jsonText(item) : (item ?? '');
    // The message shows the text that was made so far.
    if (typeof part !== 'string') return add(texts.join(separator) + (texts.length > 0 ? separator : ''), part);
    texts.push(part);
    payText(part.length + separator.length);
    checkLength((chars += part.length + separator.length));
  }
  return texts.join(separator);
}

function indices(value: Json, part: Json): Json {
  if (value === null) return null;
  if (typeof value === 'string' && typeof part === 'string' && part !== '') {
    burn(value.length);
    paySearch(value, part);
    if (/[\ud800-\udfff]/.test(value)) throw new Unsure('places between surrogates');
    const out: number[] = [];
    for (let at = value.indexOf(part); at >= 0; at = value.indexOf(part, at + 1)) out.push(at);
    return out;
  }
  if (!isArray(value)) throw new Unsure('places in another kind');
  const wanted = isArray(part) ? part : [part];
  if (wanted.length === 0) throw new Unsure('places of nothing');
  burn(value.length * wanted.length);
  const isAt = (at: number): boolean =>
    wanted.every((item, i) => at + i < value.length && equals(value[at + i]!, item));
  return value.flatMap((_, at) => (isAt(at) ? [at] : []));
}

function entryKey(entry: Readonly<Record<string, Json>>): Json {
  const { key } = entry;
  if (key === undefined || key === null) throw new Unsure('an entry without a key');
  return key;
}

function toEntries(value: Json): Json {
  if (!isObject(value)) throw new Unsure('entries of another kind');
  burn(3 * Object.keys(value).length);
  return Object.entries(value).map(([key, item]) => ({ key, value: item }));
}

/** Entries `{key, value}`; other spellings are left to the reference tier. */
function fromEntries(value: Json): Json {
  const out: Record<string, Json> = {};
  for (const entry of arrayOf(value)) {
    if (!isObject(entry) || !Object.hasOwn(entry, 'value')) throw new Unsure('an entry of another kind');
    const key = entryKey(entry);
    if (typeof key !== 'string') throw new Unsure('a key that is no text');
    out[checkKey(key)] = entry['value']!;
  }
  return out;
}

function toBoolean(value: Json): Json {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new JqError(`${describe(value)} cannot be parsed as a boolean`);
}

function round(value: Json): Json {
  const number = numberOf(value);
  return Math.sign(number) * Math.floor(Math.abs(number) + 0.5);
}

function utf8Length(value: Json): Json {
  if (typeof value !== 'string') throw new JqError(`${describe(value)} only strings have UTF-8 byte length`);
  burnChars(value.length);
  return Buffer.byteLength(value);
}

/**
 * Where an item is in a sorted array, or else `-1 - where` it would be. What is not sorted, or holds equals, is the reference
 * tier's to search in.
 */
function search(value: Json, target: Json): Json {
  if (!isArray(value)) throw new Unsure('searching in another kind');
  burn(value.length);
  if (value.some((item, at) => at > 0 && compare(value[at - 1]!, item) >= 0)) throw new Unsure('what is not sorted');
  const at = value.findIndex((item) => compare(item, target) >= 0);
  if (at < 0) return -1 - value.length;
  return equals(value[at]!, target) ? at : -1 - at;
}

const COUNTLESS = 1e9;

/** By name and number of arguments. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['not/0', (value) => value === null || value === false],
  ['length/0', length],
  ['utf8bytelength/0', utf8Length],
  ['keys/0', (value) => keys(value, true)],
  ['keys_unsorted/0', (value) => keys(value, false)],
  ['has/1', has],
  ['contains/1', contains],
  ['type/0', typeName],
  ['tostring/0', plainText],
  ['tojson/0', jsonText],
  ['tonumber/0', toNumber],
  ['toboolean/0', toBoolean],
  ['fromjson/0', fromJson],
  ['env/0', () => ({})],
  ['floor/0', (value) => Math.floor(numberOf(value))],
  ['ceil/0', (value) => Math.ceil(numberOf(value))],
  ['round/0', round],
  ['trunc/0', (value) => Math.trunc(numberOf(value))],
  ['fabs/0', (value) => Math.abs(numberOf(value))],
  ['sqrt/0', (value) => Math.sqrt(numberOf(value))],
  ['abs/0', (value) => (typeof value === 'number' && value < 0 ? -value : abs(value))],
  ['infinite/0', () => Infinity],
  ['nan/0', () => Number.NaN],
  ['isinfinite/0', (value) => Math.abs(sureNumber(value)) === Infinity],
  ['isnan/0', (value) => Number.isNaN(sureNumber(value))],
  ['min/0', (value) => extreme(value, true)],
  ['max/0', (value) => extreme(value, false)],
  ['sort/0', sort],
  ['unique/0', unique],
  ['reverse/0', reverse],
  ['flatten/0', (value) => flatten(value, COUNTLESS)],
  ['flatten/1', flatten],
  ['startswith/1', (value, part) => ends('startswith', value, part)],
  ['endswith/1', (value, part) => ends('endswith', value, part)],
  ['ltrimstr/1', (value, part) => trimLeft(value, part)],
  ['rtrimstr/1', (value, part) => trimRight(value, part)],
  ['trim/0', (value) => trimmed(value, true, true)],
  ['ltrim/0', (value) => trimmed(value, true, false)],
  ['rtrim/0', (value) => trimmed(value, false, true)],
  ['ascii_downcase/0', (value) => ascii(value, false)],
  ['ascii_upcase/0', (value) => ascii(value, true)],
  ['explode/0', explode],
  ['implode/0', implode],
  ['split/1', (value, separator) => split(value, separator)],
  ['join/1', (value, separator) => join(value, separator)],
  ['indices/1', (value, part) => indices(value, part)],
  ['to_entries/0', toEntries],
  ['from_entries/0', fromEntries],
  ['setpath/2', (value, path, item) => updatePath(value, keysOf(path), () => item)],
  ['delpaths/1', (value, paths) => deletePaths(value, keysOf(paths))],
  ['trimstr/1', (value, part) => trimRight(trimLeft(value, part), part)],
  ['bsearch/1', search],
  ['have_literal_numbers/0', () => true],
  ['have_decnum/0', () => true],
  ['input_line_number/0', () => 0],
  ['now/0', () => Date.now() / 1000],
  ['gmtime/0', gmtime],
  ['mktime/0', mktime],
  ['strptime/1', strptime],
  ['strftime/1', strftime],
  ['todate/0', toIso],
  ['fromdate/0', fromIso],
  ['fromdateiso8601/0', fromIso],
  ['todateiso8601/0', toIso],
  ['pow/2', (_value, base, exponent) => pow(base, exponent)],
  ['log2/0', log2],
  ['frexp/0', frexp],
  ['logb/0', logb],
  ['significand/0', significand],
  ['ldexp/2', (_value, value, exponent) => ldexp(value, exponent)],
  ['scalb/2', (_value, value, exponent) => ldexp(value, exponent)],
  ['scalbln/2', (_value, value, exponent) => ldexp(value, exponent)],
  ['nearbyint/0', nearbyint],
  ['rint/0', nearbyint],
  ['test/1', (value, pattern) => matches(value, pattern, null).length > 0],
  ['test/2', (value, pattern, flags) => matches(value, pattern, flags).length > 0],
]);

function abs(value: Json): Json {
  if (typeof value === 'number') return value;
  throw new Unsure('the size of another kind');
}
