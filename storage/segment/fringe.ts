/**
 * The right edge of a growing tree: of each level the hashes of its unfinished tile, which is all that later entries need.
 * 256 hashes make a tile; its root is one hash of the level above.
 */
import { EMPTY_ROOT, HASH_BYTES, rootOver } from './hash.ts';
import { TILE_WIDTH, type TilePlace } from './tile-path.ts';

export interface Tile extends TilePlace {
  readonly level: number;
  readonly bytes: Buffer;
}

export class Fringe {
  readonly #levels: Uint8Array[][] = [];
  #size = 0;

  /** A fringe of `size` entries from the hashes of its unfinished tiles, lowest level first. */
  static at(size: number, levels: readonly (readonly Uint8Array[])[]): Fringe {
    const fringe = new Fringe();
    fringe.#size = size;
    for (const hashes of levels) fringe.#levels.push([...hashes]);
    return fringe;
  }

  /** How many hashes the unfinished tile of each level has in a tree of `size` entries. */
  static widths(size: number): number[] {
    const widths: number[] = [];
    for (let rest = size; rest > 0; rest = Math.floor(rest / TILE_WIDTH)) widths.push(rest % TILE_WIDTH);
    return widths;
  }

  copy(): Fringe {
    return Fringe.at(this.#size, this.#levels);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds the hash of the next entry; `finished` gets each tile that it fills, lowest level first. */
  push(leaf: Uint8Array, finished: (tile: Tile) => void): void {
    this.#size++;
    let hash = leaf;
    let count = this.#size;
    for (let level = 0; ; level++) {
      const hashes = (this.#levels[level] ??= []);
      hashes.push(hash);
      if (hashes.length < TILE_WIDTH) return;
      count /= TILE_WIDTH;
      finished({ level, index: count - 1, width: TILE_WIDTH, bytes: Buffer.concat(hashes) });
      hash = rootOver(hashes);
      this.#levels[level] = [];
    }
  }

  /** The root of the tree over all entries so far: MTH of RFC 6962 §2.1. */
  root(): Uint8Array {
    let right: Uint8Array | null = null;
    for (const hashes of this.#levels) {
      const items = right === null ? hashes : [...hashes, right];
      if (items.length > 0) right = rootOver(items);
    }
    return right ?? EMPTY_ROOT;
  }

  /** The unfinished tiles, lowest level first. */
  partials(): Tile[] {
    const tiles: Tile[] = [];
    for (const [level, hashes] of this.#levels.entries()) {
      if (hashes.length === 0) continue;
      const index = Math.floor(Math.floor(this.#size / TILE_WIDTH ** level) / TILE_WIDTH);
      tiles.push({ level, index, width: hashes.length, bytes: Buffer.concat(hashes) });
    }
    return tiles;
  }
}

/** The hashes of a tile; null when its length is none of a tile. */
export function tileHashes(bytes: Uint8Array): Uint8Array[] | null {
  if (bytes.length % HASH_BYTES !== 0 || bytes.length > TILE_WIDTH * HASH_BYTES) return null;
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}
