/** Hashes of any part of a tree, out of its tiles. */
import { limits } from '#config/limits.ts';
import { Corruption } from '../fault.ts';
import { EMPTY_ROOT, nodeHash, rootOver, splitOf } from './hash.ts';
import { tileHashes } from './fringe.ts';
import { consistencyRanges, inclusionRanges, type Range } from './proof.ts';
import { TILE_WIDTH, tilePath, tileWidth } from './tile-path.ts';

const LEVEL_BITS = 8;

/** Reads a file of the log by its path (`tile/0/000`); null when it is not there. */
export type ReadFile = (path: string) => Promise<Uint8Array | null>;

export class HashReader {
  readonly #read: ReadFile;
  readonly #size: number;
  readonly #tiles = new Map<string, Promise<readonly Uint8Array[]>>();

  /** Over the tiles of a tree of `size` entries. */
  constructor(read: ReadFile, size: number) {
    this.#read = read;
    this.#size = size;
  }

  inclusion(index: number, size = this.#size): Promise<Uint8Array[]> {
    return Promise.all(inclusionRanges(index, size).map((range) => this.root(range)));
  }

  consistency(from: number, to = this.#size): Promise<Uint8Array[]> {
    return Promise.all(consistencyRanges(from, to).map((range) => this.root(range)));
  }

  leaf(index: number): Promise<Uint8Array> {
    return this.root({ from: index, to: index + 1 });
  }

  /** The root over a range that the tree has as a node; for {0, n} the root of the tree of n entries. */
  async root({ from, to }: Range): Promise<Uint8Array> {
    const count = to - from;
    if (count === 0) return EMPTY_ROOT;
    const bits = Math.log2(count);
    if (Number.isInteger(bits)) return this.#node(bits, from / count);
    const split = from + splitOf(count);
    return nodeHash(await this.root({ from, to: split }), await this.root({ from: split, to }));
  }

  /** The root of the finished subtree of 2^bits entries with this number. */
  async #node(bits: number, index: number): Promise<Uint8Array> {
    const level = Math.floor(bits / LEVEL_BITS);
    const count = 2 ** (bits % LEVEL_BITS);
    const hashes = await this.#tile(level, Math.floor((index * count) / TILE_WIDTH));
    const at = (index * count) % TILE_WIDTH;
    return rootOver(hashes, at, at + count);
  }

  #tile(level: number, index: number): Promise<readonly Uint8Array[]> {
    const width = tileWidth({ level, index }, this.#size);
    const path = tilePath({ level, index, width });
    const known = this.#tiles.get(path);
    if (known !== undefined) return known;
    if (this.#tiles.size >= limits.audit.tilesHeldMax) this.#tiles.clear();
    const tile = this.#load(path, tilePath({ level, index, width: TILE_WIDTH }), width);
    this.#tiles.set(path, tile);
    return tile;
  }

  /** A tile that has become full since holds the same hashes first (tlog-tiles: clients fall back to it). */
  async #load(path: string, full: string, width: number): Promise<readonly Uint8Array[]> {
    const bytes = (await this.#read(path)) ?? (path === full ? null : await this.#read(full));
    if (bytes === null) throw new TileMissing(path);
    const hashes = tileHashes(bytes);
    if (hashes === null || hashes.length < width) throw new Corruption(path, `is no tile of ${width} hashes`);
    return hashes;
  }
}

/** A file of the log that is not there. */
export class TileMissing extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} is missing`);
    this.path = path;
  }
}
