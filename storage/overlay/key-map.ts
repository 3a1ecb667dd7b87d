/**
 * What a generation has under each key, in many small maps. A map that doubles is copied whole within the write for which it has no room
 * left (a single map took 86 ms at a million cells). Maps of equal shares would all double within the same few writes, since keys spread
 * evenly (32 of them took 32 ms). So each map's share is a little larger than the one before, up to twice the first, and they double one
 * after another.
 */
import type { Bytes } from '../port.ts';

const MAPS = 512;

export class KeyMap<V> {
  readonly #maps: (Map<Bytes, V> | undefined)[] = new Array<undefined>(MAPS).fill(undefined);

  /** `hash` is the key's, where the caller has it already. */
  get(key: Bytes, hash: number = hashOf(key)): V | undefined {
    return this.#maps[placeOf(hash)]?.get(key);
  }

  set(key: Bytes, value: V, hash: number = hashOf(key)): void {
    const place = placeOf(hash);
    (this.#maps[place] ??= new Map()).set(key, value);
  }
}

/**
 * The place of a hash `x` from 0 to 1 is log2(1 + x), by a parabola through both ends. Of keys that a tenant has chosen to lie in one
 * place, it is that map alone that grows, as large as one map for all would be.
 */
function placeOf(hash: number): number {
  const x = (hash >>> 16) / 0x10000;
  return Math.trunc(MAPS * x * (1.3465 - 0.3465 * x));
}

/** Of the last three chars, where keys of one table differ, and of those before a number of eight bytes that comes behind the row's. */
export function hashOf(key: Bytes): number {
  const end = key.length;
  const last = key.charCodeAt(end - 1) | (key.charCodeAt(end - 2) << 8) | (key.charCodeAt(end - 3) << 16);
  const before = key.charCodeAt(end - 9) | (key.charCodeAt(end - 10) << 8) | (key.charCodeAt(end - 11) << 16);
  return Math.imul(Math.imul(last, 0x9e3779b1) ^ before, 0x85ebca6b);
}
