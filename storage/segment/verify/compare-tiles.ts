/** Grows the tree anew from its entries and holds every published tile and bundle against it, byte by byte. */
import { readBundle, writeBundle } from '../bundle.ts';
import { Fringe, type Tile } from '../fringe.ts';
import { HASH_BYTES } from '../hash.ts';
import { TILE_WIDTH, tilePath, type TileLevel } from '../tile-path.ts';
import { Tampered, base64 } from './report.ts';

/** The files of a log, from a directory or over HTTP. */
export interface Reader {
  read(path: string): Promise<Uint8Array | null>;
  /** Names in a directory; none where they cannot be listed. */
  names(directory: string): Promise<readonly string[]>;
}

export class TileComparison {
  readonly #reader: Reader;
  /** The size that the checkpoint signed: tiles reach no further. */
  readonly #signed: number;
  readonly #fringe = new Fringe();
  readonly missing: string[] = [];
  #finished: Tile[] = [];
  #bundle: Uint8Array[] = [];

  constructor(reader: Reader, signed: number) {
    this.#reader = reader;
    this.#signed = signed;
  }

  get size(): number {
    return this.#fringe.size;
  }

  root(): Uint8Array {
    return this.#fringe.root();
  }

  /** Adds the hash of the next entry, and the entry unless it was pruned. */
  add(leaf: Uint8Array, entry: Uint8Array | null): void {
    this.#fringe.push(leaf, (tile) => this.#finished.push(tile));
    if (entry !== null) this.#bundle.push(entry);
  }

  /** True when there is something to compare: call `compare` then. */
  get isDue(): boolean {
    return this.#fringe.size % TILE_WIDTH === 0;
  }

  /** After 256 entries: the tiles and the bundle that they have finished. Throws Tampered at the first difference. */
  async compare(): Promise<void> {
    const tiles = this.#finished;
    const bundle = this.#bundle;
    this.#finished = [];
    this.#bundle = [];
    const index = this.size / TILE_WIDTH - 1;
    if (bundle.length === TILE_WIDTH) await this.#compareOne('entries', index, bundle.length, writeBundle(bundle));
    for (const tile of tiles) await this.#compareOne(tile.level, tile.index, tile.width, tile.bytes);
  }

  /** At the signed size: what is unfinished there. */
  async comparePartials(): Promise<void> {
    const width = this.size % TILE_WIDTH;
    const index = Math.floor(this.size / TILE_WIDTH);
    if (width > 0 && this.#bundle.length === width)
      await this.#compareOne('entries', index, width, writeBundle(this.#bundle));
    for (const tile of this.#fringe.partials()) await this.#compareOne(tile.level, tile.index, tile.width, tile.bytes);
  }

  /** A tile of this width, and the narrower ones that were published before it. */
  async #compareOne(level: TileLevel, index: number, width: number, expected: Uint8Array): Promise<void> {
    if (this.size > this.#signed) return;
    const path = tilePath({ level, index, width });
    const bytes = await this.#reader.read(path);
    if (bytes !== null) hold(path, level, index, bytes, expected);
    const folder = `${tilePath({ level, index, width: TILE_WIDTH })}.p`;
    for (const name of await this.#reader.names(folder)) {
      if (name === String(width) && bytes !== null) continue;
      await this.#compareNarrower(`${folder}/${name}`, Number(name), level, index, expected, width);
    }
    if (bytes === null) this.missing.push(path);
  }

  async #compareNarrower(
    path: string,
    narrow: number,
    level: TileLevel,
    index: number,
    expected: Uint8Array,
    width: number,
  ): Promise<void> {
    if (path.endsWith('.tmp')) return;
    const bytes = await this.#reader.read(path);
    if (bytes === null) return;
    // A wider tile was written for a checkpoint that a crash prevented.
    if (narrow > width) return;
    hold(path, level, index, bytes, prefixOf(level, narrow, expected));
  }
}

function prefixOf(level: TileLevel, width: number, expected: Uint8Array): Uint8Array {
  if (level !== 'entries') return expected.subarray(0, width * HASH_BYTES);
  return writeBundle(readBundle(expected)!.slice(0, width));
}

function hold(path: string, level: TileLevel, index: number, actual: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(actual, expected) === 0) return;
  throw level === 'entries'
    ? bundleFinding(path, index, actual, expected)
    : tileFinding(path, level, index, actual, expected);
}

function tileFinding(path: string, level: number, index: number, actual: Uint8Array, expected: Uint8Array): Tampered {
  let at = 0;
  while (at < expected.length && actual[at] === expected[at]) at++;
  const no = Math.floor(at / HASH_BYTES);
  const cut = (bytes: Uint8Array): string => base64(bytes.subarray(no * HASH_BYTES, (no + 1) * HASH_BYTES));
  const what = actual.length === expected.length ? 'a hash is not that of the records' : `has ${actual.length} bytes`;
  const first = (index * TILE_WIDTH + no) * TILE_WIDTH ** level;
  return new Tampered({ file: path, index: first, what, expected: cut(expected), actual: cut(actual) });
}

function bundleFinding(path: string, index: number, actual: Uint8Array, expected: Uint8Array): Tampered {
  const right = readBundle(expected)!;
  const found = readBundle(actual);
  const no = right.findIndex((entry, at) => Buffer.compare(entry, found?.[at] ?? Buffer.alloc(0)) !== 0);
  const what = found === null ? 'is no bundle of entries' : 'an entry is not that of the records';
  return new Tampered({ file: path, index: index * TILE_WIDTH + Math.max(0, no), what });
}
