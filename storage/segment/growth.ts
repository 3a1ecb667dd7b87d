/** A tree that grows by durable entries, and the files that the next checkpoint needs on the disk. */
import { writeBundle } from './bundle.ts';
import type { TreeHead } from './checkpoint.ts';
import { Fringe } from './fringe.ts';
import { leafHash } from './hash.ts';
import { TILE_WIDTH, tilePath } from './tile-path.ts';

export interface Snapshot extends TreeHead {
  /** Tiles and bundles that are not on the disk yet. */
  readonly files: readonly (readonly [path: string, bytes: Uint8Array])[];
  /** Directories of unfinished tiles whose finished ones are among the files. */
  readonly outdated: readonly string[];
}

export class Growth {
  readonly #fringe: Fringe;
  /** Entries of the unfinished bundle. */
  #bundle: Uint8Array[];
  #files: (readonly [string, Uint8Array])[] = [];
  #outdated: string[] = [];
  /** Bytes that wait for the next snapshot. */
  waitingBytes = 0;

  constructor(fringe: Fringe = new Fringe(), bundle: readonly Uint8Array[] = []) {
    this.#fringe = fringe;
    this.#bundle = [...bundle];
  }

  get size(): number {
    return this.#fringe.size;
  }

  root(): Uint8Array {
    return this.#fringe.root();
  }

  /** The right edge as it is, to be grown apart from this tree. */
  fringe(): Fringe {
    return this.#fringe.copy();
  }

  add(entry: Uint8Array): void {
    this.#fringe.push(leafHash(entry), (tile) => this.#finish(tilePath(tile), tile.bytes));
    this.#bundle.push(entry);
    if (this.#bundle.length < TILE_WIDTH) return;
    const index = this.size / TILE_WIDTH - 1;
    this.#finish(tilePath({ level: 'entries', index, width: TILE_WIDTH }), writeBundle(this.#bundle));
    this.#bundle = [];
  }

  #finish(path: string, bytes: Uint8Array): void {
    this.#files.push([path, bytes]);
    this.#outdated.push(`${path}.p`);
    this.waitingBytes += bytes.length;
  }

  /** Everything so far is on the disk already: only what comes from now on has to be written. */
  settle(): void {
    this.#files = [];
    this.#outdated = [];
    this.waitingBytes = 0;
  }

  /** The tree as it is, with what its checkpoint needs; handed out once. */
  snapshot(): Snapshot {
    const files = [...this.#files];
    const outdated = this.#outdated;
    for (const tile of this.#fringe.partials()) files.push([tilePath(tile), tile.bytes]);
    if (this.#bundle.length > 0) {
      const place = {
        level: 'entries',
        index: Math.floor(this.size / TILE_WIDTH),
        width: this.#bundle.length,
      } as const;
      files.push([tilePath(place), writeBundle(this.#bundle)]);
    }
    this.settle();
    return { size: this.size, root: this.root(), files, outdated };
  }

  /** A snapshot whose files could not be written: they wait again. */
  giveBack({ files, outdated }: Snapshot): void {
    const finished = files.filter(([path]) => !path.includes('.p/'));
    this.#files = [...finished, ...this.#files];
    this.#outdated = [...outdated, ...this.#outdated];
    for (const [, bytes] of finished) this.waitingBytes += bytes.length;
  }
}
