/** Reading and writing at a key or a path. Messages are jq's where they are certain. */
import { JqError, Unsure } from './faults.ts';
import { burn } from '../pace/fuel.ts';
import { checkKey, compare, copyOf, isArray, isObject, typeName } from './json.ts';
import type { Json } from './value.ts';
import { codePoints, describe } from './text.ts';

const INDEX_MAX = 536_870_911;
/** jq refuses longer paths, and deeper values. */
const KEYS_MAX = 1000;

function checkPath(path: readonly Json[]): void {
  if (path.length > KEYS_MAX) throw new Unsure('a path that is too long');
}

/** `value[key]`. */
export function index(value: Json, key: Json): Json {
  if (typeof key === 'string') {
    if (isObject(value)) return Object.hasOwn(value, key) ? value[key]! : null;
    if (value === null) return null;
    return badIndex(value, key);
  }
  if (typeof key === 'number' && (value === null || isArray(value))) {
    if (Number.isNaN(key)) throw new Unsure('nan as an index');
    return value === null ? null : (value.at(Math.floor(key)) ?? null);
  }
  if (typeof key === 'number' && typeof value !== 'object') return badIndex(value, key);
  if (typeof key === 'number' && isObject(value)) return badIndex(value, key);
  throw new Unsure('an index of another kind');
}

function badIndex(value: Json, key: Json): never {
  throw new JqError(`Cannot index ${typeName(value)} with ${describe(key)}`);
}

/** `value[from:to]`. */
export function slice(value: Json, from: Json, to: Json): Json {
  if (!isBound(from) || !isBound(to)) throw new Unsure('a bound of another kind');
  if (value === null) return null;
  if (!isArray(value) && typeof value !== 'string') throw new Unsure('a slice of another kind');
  burn(1);
  const items = isArray(value) ? value : codePoints(value);
  const start = boundOf(from, 0, items.length, Math.floor);
  const end = Math.max(start, boundOf(to, items.length, items.length, Math.ceil));
  burn(end - start);
  const part = items.slice(start, end);
  return isArray(value) ? part : (part as string[]).join('');
}

function isBound(value: Json): value is number | null {
  return value === null || (typeof value === 'number' && Number.isFinite(value));
}

function boundOf(bound: number | null, absent: number, length: number, round: (n: number) => number): number {
  if (bound === null) return absent;
  const at = bound < 0 ? bound + length : bound;
  return Math.min(length, Math.max(0, round(at)));
}

/** Calls `emit` with each member; an error for what has none. */
export function iterate(value: Json, emit: (item: Json, key: Json) => void): void {
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      burn(1);
      emit(value[i]!, i);
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      burn(1);
      emit(value[key]!, key);
    }
  } else throw new JqError(`Cannot iterate over ${describe(value)}`);
}

export function getPath(value: Json, path: readonly Json[]): Json {
  checkPath(path);
  let at = value;
  for (const key of path) {
    burn(1);
    if (at === null && path.length > 1 && typeof key === 'object') throw new Unsure('a path of another kind');
    at = index(at, key);
  }
  return at;
}

/** A copy of `value` in which `change` has been applied at the path. */
export function updatePath(value: Json, path: readonly Json[], change: (old: Json) => Json, at = 0): Json {
  burn(1);
  checkPath(path);
  if (at === path.length) return change(value);
  const key = path[at]!;
  const inner = updatePath(index(value, key), path, change, at + 1);
  if (typeof key === 'string') return { ...(value === null ? {} : copyOf(value as never)), [checkKey(key)]: inner };
  return setItem(value as readonly Json[] | null, key as number, inner);
}

function setItem(value: readonly Json[] | null, key: number, item: Json): Json {
  const length = value?.length ?? 0;
  const at = Math.floor(key) + (key < 0 ? length : 0);
  if (at < 0) throw new JqError('Out of bounds negative array index');
  if (at > INDEX_MAX) throw new Unsure('an index that is too large');
  burn(Math.max(length, at));
  const copy = value === null ? [] : [...value];
  while (copy.length < at) copy.push(null);
  copy[at] = item;
  return copy;
}

/** `delpaths`: the longest and last first, so that the others still stand. */
export function deletePaths(value: Json, paths: readonly Json[]): Json {
  burn(4 * paths.length);
  const sorted = [...paths].sort(compare);
  let out = value;
  for (const path of sorted.toReversed()) {
    if (!isArray(path)) throw new Unsure('a path that is no array');
    checkPath(path);
    out = deletePath(out, path, 0);
  }
  return out;
}

function deletePath(value: Json, path: readonly Json[], at: number): Json {
  burn(1);
  if (at === path.length) return null;
  if (value === null) return null;
  const key = path[at]!;
  if (at === path.length - 1) return deleteKey(value, key);
  const old = index(value, key);
  if (old === null) return value;
  const inner = deletePath(old, path, at + 1);
  return typeof key === 'string'
    ? { ...copyOf(value as never), [key]: inner }
    : setItem(value as readonly Json[], key as number, inner);
}

function deleteKey(value: Json, key: Json): Json {
  if (isObject(value) && typeof key === 'string') {
    const copy = copyOf(value);
    delete copy[key];
    return copy;
  }
  if (!isArray(value) || typeof key !== 'number' || !Number.isInteger(key)) throw new Unsure('what cannot be deleted');
  burn(value.length);
  const at = key < 0 ? key + value.length : key;
  return value.filter((_, i) => i !== at);
}
