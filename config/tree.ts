/** The values of one file with the place of each, so that checks on plain values can report places. */
import type { Path, Place } from './problem.ts';

interface Entry {
  readonly key: Place;
  readonly value: Place;
}

export class Tree {
  value: unknown;
  readonly #root: Place;
  readonly #entries = new Map<string, Entry>();
  /** Text from a flag or the environment: it may represent a number or a boolean. */
  readonly #loose = new Map<string, string>();

  constructor(root: Place, value: unknown = emptyMap()) {
    this.#root = root;
    this.value = value;
  }

  /** Stores the place of a key and of its value. */
  mark(path: Path, key: Place, value: Place): void {
    this.#entries.set(keyOf(path), { key, value });
  }

  /** Stores that the text at `path` came from `source` (a variable's or a flag's name). */
  markLoose(path: Path, source: string): void {
    this.#loose.set(keyOf(path), source);
  }

  /** The name of the flag or variable of the value, or null. */
  looseSource(path: Path): string | null {
    return this.#loose.get(keyOf(path)) ?? null;
  }

  /** Whether the file, a flag or the environment set the path. */
  has(path: Path): boolean {
    return this.#entries.has(keyOf(path));
  }

  /** The place of the key or the value; for a missing one, its nearest ancestor's key. */
  placeOf(path: Path, part: 'key' | 'value'): Place {
    const exact = this.#entries.get(keyOf(path));
    if (exact !== undefined) return exact[part];
    for (let depth = path.length - 1; depth > 0; depth -= 1) {
      const entry = this.#entries.get(keyOf(path.slice(0, depth)));
      if (entry !== undefined) return typeof path[depth - 1] === 'number' ? entry.value : entry.key;
    }
    return this.#root;
  }

  get(path: Path): unknown {
    let at = this.value;
    for (const part of path) {
      if (typeof at !== 'object' || at === null) return undefined;
      at = Object.hasOwn(at, part) ? (at as Record<string | number, unknown>)[part] : undefined;
    }
    return at;
  }

  /** Sets a value from a flag or the environment, and makes the maps on the way; a list or a text on the way stays. */
  set(path: readonly string[], value: unknown, place: Place): void {
    if (!isMap(this.value)) this.value = emptyMap();
    let at = this.value as Record<string, unknown>;
    for (let depth = 0; depth < path.length - 1; depth += 1) {
      const next = at[path[depth]!];
      if (next !== undefined && next !== null && typeof next !== 'boolean' && !isMap(next)) return;
      const here = path.slice(0, depth + 1);
      if (!this.has(here)) this.mark(here, place, place);
      at = isMap(next) ? next : (at[path[depth]!] = emptyMap());
    }
    at[path.at(-1)!] = value;
    this.mark(path, place, place);
    if (typeof value === 'string') this.markLoose(path, place.file);
  }
}

/** A map without a prototype: no key of a file has a meaning of its own in it. */
export function emptyMap(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

/** A map of these entries without a prototype. */
export function mapOf<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  return Object.setPrototypeOf(Object.fromEntries(entries), null) as Record<string, T>;
}

function keyOf(path: Path): string {
  return path.join('\u0000');
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
