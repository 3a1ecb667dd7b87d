/** One pending write. Its key and value never change. */
import type { Bytes } from '../port.ts';

export class Cell {
  readonly key: Bytes;
  /** null is a tombstone: the key is absent, whatever LMDB says. */
  readonly value: Uint8Array | null;
  /** What `decoded` made of the value, after its first call for the key. */
  decoded: object | null = null;
  /** Number of its journal record; 0 while it is only staged. */
  number = 0;

  constructor(key: Bytes, value: Uint8Array | null) {
    this.key = key;
    this.value = value;
  }
}

/** What a cell counts for in the budget. */
export function cellBytes(cell: Cell): number {
  return cell.key.length + (cell.value === null ? 0 : cell.value.length);
}
