/**
 * What operators and functions of rules cost by their operands: each burns that before it runs. Nodes and the items of
 * comprehensions are counted where they are evaluated (rule-environment.ts); here is the cost that one node can have by itself.
 */
import { includesText, indexOfText, lastIndexOfText, splitText } from './find-text.ts';
import { burn, burnChars } from './pace/fuel.ts';
import { matchesPattern } from './pattern.ts';

type Values = readonly unknown[];

/** Burns what an operator costs. */
export type Weigh = (left: unknown, right: unknown) => void;

/** A time zone is looked up for some 50 microseconds. */
const ZONE_UNITS = 500;
/** Durations of more characters make integers of any size. */
const DURATION_CHARS_MAX = 128;

const isText = (value: unknown): value is string => typeof value === 'string';

/** Burns for a comparison of two values, as far as they can be equal; false when they are known to differ. */
function weighEqual(left: unknown, right: unknown): boolean {
  if (left === right && typeof left !== 'string') return true;
  if (isText(left)) {
    if (!isText(right) || left.length !== right.length) return false;
    burnChars(left.length);
    return true;
  }
  // Numbers of both kinds may be equal.
  if (typeof left !== 'object' || typeof right !== 'object') return typeof left !== typeof right && !isText(right);
  if (left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && weighLists(left, right);
  if (left instanceof Uint8Array) {
    burnChars(left.length);
    return true;
  }
  return weighMaps(left as Record<string, unknown>, right as Record<string, unknown>);
}

function weighLists(left: Values, right: Values): boolean {
  if (left.length !== right.length) return false;
  burn(left.length);
  return left.every((item, at) => weighEqual(item, right[at]));
}

function weighMaps(left: Readonly<Record<string, unknown>>, right: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(left);
  burn(keys.length + Object.keys(right).length);
  return keys.every((key) => weighEqual(left[key], right[key]));
}

/** Burns the cost of a value as a key: the library writes lists and bytes there as text, with all that is in them. */
export function weighKey(value: unknown): void {
  if (isText(value)) burnChars(value.length);
  else if (value instanceof Uint8Array) burn(value.length);
  else if (Array.isArray(value)) {
    burn(value.length);
    for (const item of value as Values) weighKey(item);
  }
}

/** A list is looked through; a map is asked for a key. */
function weighIn(value: unknown, within: unknown): void {
  if (!Array.isArray(within)) {
    weighKey(value);
    return;
  }
  burn(within.length);
  if (isText(value)) burnChars(value.length * within.length);
  else if (typeof value === 'object' && value !== null) for (const item of within) weighEqual(value, item);
}

/** Texts, lists and bytes are put together. */
function weighSum(left: unknown, right: unknown): void {
  if (isText(left) && isText(right)) burnChars(left.length + right.length);
  else if (Array.isArray(left) && Array.isArray(right)) burn(left.length + right.length);
  else if (left instanceof Uint8Array && right instanceof Uint8Array) burnChars(left.length + right.length);
}

function weighOrder(left: unknown, right: unknown): void {
  if (isText(left) && isText(right)) burnChars(left.length + right.length);
}

function weighEquality(left: unknown, right: unknown): void {
  if (isText(left) || (typeof left === 'object' && left !== null)) weighEqual(left, right);
}

/** Operators whose cost is not that of a step. */
export const OPERATORS: ReadonlyMap<string, Weigh> = new Map<string, Weigh>(
  Object.entries({
    '==': weighEquality,
    '!=': weighEquality,
    in: weighIn,
    '[]': (_of, key) => weighKey(key),
    '[?]': (_of, key) => weighKey(key),
    '+': weighSum,
    '<': weighOrder,
    '<=': weighOrder,
    '>': weighOrder,
    '>=': weighOrder,
  }),
);

/** Functions that stand in for built-in ones whose time is not linear; undefined for operands that they do not take. */
export const REPLACED: ReadonlyMap<string, (given: Values) => unknown> = new Map(
  Object.entries({
    matches: ([text, pattern]) => (isText(text) && isText(pattern) ? matchesPattern(text, pattern) : undefined),
    contains: ([text, needle]) => (isText(text) && isText(needle) ? includesText(text, needle) : undefined),
    indexOf: (given) => place(given, indexOfText),
    lastIndexOf: (given) => place(given, lastIndexOfText),
    split: ([text, separator, ...more]) =>
      more.length === 0 && isText(text) && isText(separator) ? splitText(text, separator) : undefined,
  } satisfies Record<string, (given: Values) => unknown>),
);

function place(given: Values, find: (text: string, needle: string) => number): bigint | undefined {
  const [text, needle] = given;
  return given.length === 2 && isText(text) && isText(needle) ? BigInt(find(text, needle)) : undefined;
}

/** Functions that cost more than the characters of their operands. */
const DEARER: ReadonlyMap<string, (given: Values) => void> = new Map(
  Object.entries({
    size: ([of]) => {
      if (isText(of)) burn(of.length / 4);
      else if (typeof of === 'object' && of !== null && !Array.isArray(of)) burn(Object.keys(of).length);
    },
    join: ([list, separator]) => {
      if (Array.isArray(list)) weighJoin(list, isText(separator) ? separator.length : 0);
    },
    // With a limit the parts are joined again; a place to begin at does not shorten the worst case.
    split: ([text, separator]) => weighSearch(text, separator),
    indexOf: ([text, needle]) => weighSearch(text, needle),
    lastIndexOf: ([text, needle]) => weighSearch(text, needle),
    json: ([bytes]) => {
      if (bytes instanceof Uint8Array) burn(bytes.length / 2);
    },
    duration: ([text]) => {
      if (isText(text) && text.length > DURATION_CHARS_MAX)
        throw new Error(`a duration may have ${DURATION_CHARS_MAX} characters`);
    },
  } satisfies Record<string, (given: Values) => void>),
);

/** The engine's own search compares each place with the whole needle at worst. */
function weighSearch(text: unknown, needle: unknown): void {
  if (isText(text) && isText(needle)) burn((text.length * (needle.length + 16)) / 16);
}

function weighJoin(list: Values, separator: number): void {
  burn(list.length);
  let chars = separator * list.length;
  for (const item of list) if (isText(item)) chars += item.length;
  burnChars(chars);
}

/** Burns what a call of a function costs. */
export function weighCall(name: string, given: Values): void {
  for (const value of given) {
    if (isText(value)) burnChars(value.length);
    else if (value instanceof Uint8Array) burnChars(value.length);
  }
  if (given.length === 2 && given[0] instanceof Date && isText(given[1])) burn(ZONE_UNITS);
  DEARER.get(name)?.(given);
}
