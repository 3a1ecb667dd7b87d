/** One pending write. Its key and value never change; when it leaves, it says since when, so that frozen views still show it. */
import type { Bytes } from '../port.ts';

export class Cell {
  readonly key: Bytes;
  /** null is a tombstone: the key is absent, whatever LMDB says. */
  readonly value: Uint8Array | null;
  /** What `decoded` made of the value, once somebody asked. */
  decoded: object | null = null;
  /** Number of its journal record; 0 while it is only staged. */
  number = 0;
  /** Version of its overlay at which it left; 0 while it is there. */
  goneAt = 0;
  /** Number of the record that overwrote it, 0 for none. */
  overwrittenBy = 0;

  constructor(key: Bytes, value: Uint8Array | null) {
    this.key = key;
    this.value = value;
  }
}
