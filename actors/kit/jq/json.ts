/** Values as jq sees them, and their order. */
import { Unsure } from './faults.ts';
import { burn, burnChars } from '../pace/fuel.ts';
import type { Json, JsonObject } from './value.ts';

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function typeName(value: Json): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as TypeName;
}

export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Everything but null and false. */
export function isTrue(value: Json): boolean {
  return value !== null && value !== false;
}

const INTEGER_LIKE = /^(?:0|[1-9]\d{0,9})$/;

/** JavaScript moves integer-like keys to the front and takes `__proto__` for itself; jq keeps the order in which keys came. */
export function checkKey(key: string): string {
  const first = key.charCodeAt(0);
  if (first >= 48 && first <= 57 && INTEGER_LIKE.test(key)) throw new Unsure('a key that looks like an integer');
  if (key === '__proto__') throw new Unsure('the key __proto__');
  return key;
}

/** Beyond so many members an object is a table of hashes, whose copy costs some ten times as much. */
const SMALL_MEMBERS_MAX = 64;
const LARGE_UNITS = 8;

/** Burns what a copy of these members costs. */
export function payMembers(count: number): void {
  burn(count > SMALL_MEMBERS_MAX ? count * LARGE_UNITS : count);
}

/** Members of an object in their order, for copies that are then changed. */
export function copyOf(object: JsonObject): Record<string, Json> {
  payMembers(Object.keys(object).length);
  return { ...object };
}

const RANKS: Readonly<Record<TypeName, number>> = { null: 0, boolean: 1, number: 3, string: 4, array: 5, object: 6 };

function rankOf(value: Json): number {
  return value === true ? 2 : RANKS[typeName(value)];
}

const SURROGATE = /[\ud800-\udfff]/;

/** By code points, as UTF-8 bytes order them. */
function compareText(a: string, b: string): number {
  burnChars(2 * Math.min(a.length, b.length));
  if (a === b) return 0;
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1;
  burnChars(2 * (a.length + b.length));
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Below, at or above 0: null, false, true, numbers, texts, arrays, objects (jq manual, "sort"). */
export function compare(a: Json, b: Json): number {
  burn(1);
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (isArray(a) && isArray(b)) return compareArrays(a, b);
  return isObject(a) && isObject(b) ? compareObjects(a, b) : 0;
}

function compareNumbers(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return 0;
  throw new Unsure('the order of nan');
}

function compareArrays(a: readonly Json[], b: readonly Json[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compare(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** First the sorted keys as arrays, then the values key by key. */
function compareObjects(a: JsonObject, b: JsonObject): number {
  const keys = sortedKeys(a);
  const order = compareArrays(keys, sortedKeys(b));
  if (order !== 0) return order;
  for (const key of keys) {
    const inner = compare(a[key]!, b[key]!);
    if (inner !== 0) return inner;
  }
  return 0;
}

export function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  burn(keys.length);
  return keys.sort(compareText);
}

export function equals(a: Json, b: Json): boolean {
  burn(1);
  if (typeof a === 'string' && typeof b === 'string') burnChars(Math.min(a.length, b.length));
  if (a === b) return true;
  if (typeof a !== 'object' && typeof a !== 'number') return false;
  return typeName(a) === typeName(b) && compare(a, b) === 0;
}
