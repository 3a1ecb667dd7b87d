/** The binary operators (jq manual, "Builtin operators and functions"). */
import type { BinaryOperator } from './ast.ts';
import { JqError, Unsure } from './faults.ts';
import { burn } from '../pace/fuel.ts';
import { checkKey, compare, copyOf, equals, isArray, isObject, payMembers } from './json.ts';
import type { Json, JsonObject } from './value.ts';
import { codePoints, describe, payText } from './text.ts';
import { paySearch } from './search.ts';

type Operator = (a: Json, b: Json) => Json;

function cannot(a: Json, b: Json, what: string): never {
  throw new JqError(`${describe(a)} and ${describe(b)} cannot be ${what}`);
}

export function add(a: Json, b: Json): Json {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (a === null) return b;
  if (b === null) return a;
  if (typeof a === 'string' && typeof b === 'string') {
    payText(a.length + b.length);
    return a + b;
  }
  if (isArray(a) && isArray(b)) {
    burn(a.length + b.length);
    return [...a, ...b];
  }
  if (isObject(a) && isObject(b)) {
    const added = Object.keys(b);
    payMembers(added.length);
    for (const key of added) checkKey(key);
    return { ...copyOf(a), ...b };
  }
  return cannot(a, b, 'added');
}

function subtract(a: Json, b: Json): Json {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (isArray(a) && isArray(b)) return a.filter((item) => !b.some((other) => equals(item, other)));
  return cannot(a, b, 'subtracted');
}

function multiply(a: Json, b: Json): Json {
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  if (typeof a === 'string' && typeof b === 'number') return repeat(a, b);
  if (typeof a === 'number' && typeof b === 'string') return repeat(b, a);
  if (isObject(a) && isObject(b)) return mergeDeep(a, b);
  return cannot(a, b, 'multiplied');
}

function repeat(text: string, times: number): Json {
  if (!Number.isFinite(times)) throw new Unsure('a text that is too long');
  if (times < 0) return null;
  payText(text.length * times);
  return text.repeat(Math.floor(times));
}

function mergeDeep(a: JsonObject, b: JsonObject): Json {
  const out = copyOf(a);
  for (const key of Object.keys(b)) {
    burn(1);
    const value = b[key]!;
    const old = Object.hasOwn(out, key) ? out[key]! : null;
    out[checkKey(key)] = isObject(old) && isObject(value) ? mergeDeep(old, value) : value;
  }
  return out;
}

function divide(a: Json, b: Json): Json {
  if (typeof a === 'number' && typeof b === 'number')
    return b === 0 ? cannot(a, b, 'divided because the divisor is zero') : a / b;
  if (typeof a === 'string' && typeof b === 'string') return splitText(a, b);
  return cannot(a, b, 'divided');
}

/** `split/1`. */
export function splitText(text: string, separator: string): Json {
  burn(text.length);
  paySearch(text, separator);
  if (text === '') return [];
  return separator === '' ? codePoints(text) : text.split(separator);
}

function remainder(a: Json, b: Json): Json {
  if (typeof a !== 'number' || typeof b !== 'number') return cannot(a, b, 'divided (remainder)');
  if (!isWhole(a) || !isWhole(b)) throw new Unsure('the remainder of large numbers');
  const divisor = Math.trunc(b);
  // A remainder of whole numbers has no negative zero.
  return divisor === 0
    ? cannot(a, b, 'divided (remainder) because the divisor is zero')
    : (Math.trunc(a) % divisor) + 0;
}

function isWhole(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** What each operator does with its operands. */
export const OPERATORS: Readonly<Record<BinaryOperator, Operator>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': remainder,
  '==': (a, b) => equals(a, b),
  '!=': (a, b) => !equals(a, b),
  '<': (a, b) => (typeof a === 'number' && typeof b === 'number' && a < b) || compare(a, b) < 0,
  '<=': (a, b) => compare(a, b) <= 0,
  '>': (a, b) => (typeof a === 'number' && typeof b === 'number' && a > b) || compare(a, b) > 0,
  '>=': (a, b) => compare(a, b) >= 0,
};
