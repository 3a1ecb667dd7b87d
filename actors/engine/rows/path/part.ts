/** Where a part of a json value stands (docs/contract/data.md §5.4.2). */
import { burn } from '#actors/kit/pace/fuel.ts';

const AN_INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** The part of a value under the members, from the outermost on; null where nothing is there, and where null is. */
export function partOf(value: unknown, inside: readonly string[]): unknown {
  burn(inside.length);
  let at = value;
  for (const name of inside) {
    if (typeof at !== 'object' || at === null) return null;
    const isThere = Array.isArray(at) ? AN_INDEX.test(name) : Object.hasOwn(at, name);
    at = isThere ? (at as Record<string, unknown>)[name] : null;
  }
  return at ?? null;
}
