/**
 * Writes that are not in LMDB yet: of a turn (staged) or of a shard (the overlay). Points go by a map. Order is made when a
 * scan asks for it: most writes have reached LMDB before any does, and are never sorted here.
 */
import type { Bytes } from '../port.ts';
import type { Cell } from './cell.ts';
import { cellFrom, chunkOf, Sorted } from './sorted.ts';
import type { Chunks } from './sorted.ts';

/** An unchanging view: a cell is in it when it had not left at `version`. */
export interface Frozen {
  readonly chunks: Chunks;
  readonly version: number;
}

const COMPACT_SLACK = 1024;
const byKey = (a: Cell, b: Cell): number => (a.key < b.key ? -1 : 1);

export class Pending {
  readonly #cells = new Map<Bytes, Cell>();
  readonly #sorted = new Sorted();
  /** Cells that no scan has asked for yet. */
  #fresh: Cell[] = [];
  #version = 1;
  #openScans = 0;

  get size(): number {
    return this.#cells.size;
  }

  get(key: Bytes): Cell | undefined {
    return this.#cells.get(key);
  }

  values(): MapIterator<Cell> {
    return this.#cells.values();
  }

  /** Adds a cell in the place of an earlier one with its key. */
  add(cell: Cell): void {
    const old = this.#cells.get(cell.key);
    if (old !== undefined) {
      old.goneAt = ++this.#version;
      old.overwrittenBy = cell.number;
    }
    this.#cells.set(cell.key, cell);
    this.#fresh.push(cell);
    if (this.#fresh.length > 2 * this.#cells.size + COMPACT_SLACK) this.#fresh = this.#fresh.filter(isHere);
  }

  /** Takes cells out that LMDB now has; those that were overwritten have left before. */
  drop(cells: readonly Cell[]): void {
    const version = ++this.#version;
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i]!;
      if (cell.goneAt !== 0) continue;
      cell.goneAt = version;
      this.#cells.delete(cell.key);
    }
    if (this.#cells.size === 0) {
      this.#sorted.clear();
      this.#fresh = [];
    } else if (this.#sorted.size > 2 * this.#cells.size + COMPACT_SLACK) this.#sorted.compact();
  }

  /** A view for as long as it is held. */
  freeze(): Frozen {
    this.#sort();
    this.#sorted.share();
    return { chunks: this.#sorted.chunks, version: this.#version };
  }

  /** A view for one scan: nothing is copied unless something changes before `endScan`. */
  beginScan(): Frozen {
    this.#sort();
    this.#openScans++;
    return { chunks: this.#sorted.chunks, version: this.#version };
  }

  endScan(): void {
    this.#openScans--;
  }

  #unshare(): void {
    if (this.#openScans > 0) this.#sorted.share();
  }

  #sort(): void {
    if (this.#fresh.length === 0) return;
    this.#unshare();
    this.#sorted.merge(this.#fresh.filter(isHere).sort(byKey));
    this.#fresh = [];
  }
}

function isHere(cell: Cell): boolean {
  return cell.goneAt === 0;
}

/** Whether the view shows the cell. */
function shows(view: Frozen, cell: Cell): boolean {
  return cell.goneAt === 0 || cell.goneAt > view.version;
}

/** The cell under a key in a view. */
export function frozenGet(view: Frozen, key: Bytes): Cell | undefined {
  const chunk = chunkOf(view.chunks, key);
  if (chunk < 0) return undefined;
  const { cells } = view.chunks[chunk]!;
  const cell = cells[cellFrom(cells, key)];
  return cell !== undefined && cell.key === key && shows(view, cell) ? cell : undefined;
}

/** Walks a view over `from <= key < to` in either direction. `current` is the cell at hand, undefined at the end. */
export class FrozenWalk {
  readonly #view: Frozen;
  readonly #reverse: boolean;
  readonly #limit: Bytes;
  #chunk: number;
  #at: number;
  current: Cell | undefined;

  constructor(view: Frozen, from: Bytes, to: Bytes, reverse: boolean) {
    this.#view = view;
    this.#reverse = reverse;
    this.#limit = reverse ? from : to;
    const start = reverse ? to : from;
    this.#chunk = Math.max(0, chunkOf(view.chunks, start));
    const cells = view.chunks[this.#chunk]?.cells;
    this.#at = cells === undefined ? 0 : cellFrom(cells, start) - (reverse ? 1 : 0);
    this.#settle();
  }

  advance(): void {
    this.#at += this.#reverse ? -1 : 1;
    this.#settle();
  }

  /** From the present place on to a cell that the view shows, within the bounds. */
  #settle(): void {
    for (;;) {
      const cell = this.#cellHere();
      const past = cell === undefined || (this.#reverse ? cell.key < this.#limit : cell.key >= this.#limit);
      this.current = past ? undefined : cell;
      if (past || shows(this.#view, cell)) return;
      this.#at += this.#reverse ? -1 : 1;
    }
  }

  #cellHere(): Cell | undefined {
    const { chunks } = this.#view;
    if (this.#at < 0) {
      if (--this.#chunk < 0) return undefined;
      this.#at = chunks[this.#chunk]!.cells.length - 1;
    } else if (this.#at >= (chunks[this.#chunk]?.cells.length ?? 0)) {
      this.#chunk++;
      this.#at = 0;
    }
    return chunks[this.#chunk]?.cells[this.#at];
  }
}
