/**
 * Cells in key order: a list of short sorted chunks. A frozen view shares the chunks; the first change after it copies the
 * chunk that it touches (copy on write), so a view costs nothing but that.
 */
import type { Bytes } from '../port.ts';
import type { Cell } from './cell.ts';

const CHUNK_CELLS = 64;
const CHUNK_CELLS_MAX = 128;

interface Chunk {
  cells: Cell[];
  /** Generation of the list in which these cells were copied: an older one may be shared with a view. */
  readonly generation: number;
}

/** An unchanging list of chunks. */
export type Chunks = readonly { readonly cells: readonly Cell[] }[];

export class Sorted {
  #chunks: Chunk[] = [];
  #chunksGeneration = 0;
  #generation = 0;
  #cells = 0;

  get size(): number {
    return this.#cells;
  }

  get chunks(): Chunks {
    return this.#chunks;
  }

  /** From now on what `chunks` gave stays as it is. */
  share(): void {
    this.#generation++;
  }

  /** Adds cells that are sorted by key; each takes the place of one with the same key. */
  merge(cells: readonly Cell[]): void {
    if (cells.length * 4 > this.#cells) return this.#rebuild(cells);
    for (const cell of cells) this.#insert(cell);
  }

  /** Drops the cells that are gone. */
  compact(): void {
    this.#rebuild([]);
  }

  clear(): void {
    this.#replace([], 0);
  }

  #replace(chunks: Chunk[], cells: number): void {
    this.#chunks = chunks;
    this.#chunksGeneration = this.#generation;
    this.#cells = cells;
  }

  /** One walk over both lists: for many new cells, and to leave gone ones behind. */
  #rebuild(added: readonly Cell[]): void {
    const all: Cell[] = [];
    let i = 0;
    for (const { cells } of this.#chunks) {
      for (const cell of cells) {
        while (i < added.length && added[i]!.key < cell.key) all.push(added[i++]!);
        if (cell.goneAt === 0 && added[i]?.key !== cell.key) all.push(cell);
      }
    }
    while (i < added.length) all.push(added[i++]!);
    const chunks: Chunk[] = [];
    for (let at = 0; at < all.length; at += CHUNK_CELLS) {
      chunks.push({ cells: all.slice(at, at + CHUNK_CELLS), generation: this.#generation });
    }
    this.#replace(chunks, all.length);
  }

  #insert(cell: Cell): void {
    const chunk = this.#owned(Math.max(0, chunkOf(this.#chunks, cell.key)));
    const { cells } = this.#chunks[chunk]!;
    const at = cellFrom(cells, cell.key);
    if (cells[at]?.key === cell.key) {
      cells[at] = cell;
      return;
    }
    cells.splice(at, 0, cell);
    this.#cells++;
    if (cells.length > CHUNK_CELLS_MAX) this.#split(chunk);
  }

  #split(chunk: number): void {
    const { cells } = this.#chunks[chunk]!;
    const right = { cells: cells.splice(CHUNK_CELLS), generation: this.#generation };
    this.#chunks.splice(chunk + 1, 0, right);
  }

  /** Copies what a view may share: the list of chunks and the chunk itself. */
  #owned(chunk: number): number {
    if (this.#chunksGeneration !== this.#generation) this.#replace(this.#chunks.slice(), this.#cells);
    const { cells, generation } = this.#chunks[chunk]!;
    if (generation !== this.#generation) {
      this.#chunks[chunk] = { cells: cells.slice(), generation: this.#generation };
    }
    return chunk;
  }
}

/** Index of the last chunk whose first key is at most `key`, or -1. */
export function chunkOf(chunks: Chunks, key: Bytes): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (chunks[middle]!.cells[0]!.key <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Index of the first cell whose key is at least `key`. */
export function cellFrom(cells: readonly Cell[], key: Bytes): number {
  let low = 0;
  let high = cells.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (cells[middle]!.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
