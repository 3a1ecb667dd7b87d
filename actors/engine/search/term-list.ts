/** In which blocks a word of the index occurs: read once, so that its frequency is known before any document is ranked. */
import { burn } from '#actors/kit/pace/fuel.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { limits } from '#config/limits.ts';
import type { KeyRange } from '../rows/keys/store.ts';
import type { Reader } from '../rows/store.ts';
import { countIn } from './postings.ts';
import { blockIn, postingsIn, postingsOf } from './store.ts';

/** Blocks up to this size are kept, since to read them again takes longer than to copy them. */
const KEPT_BYTES_MAX = 64;

export class TermList {
  readonly #reader: Reader;
  readonly #range: KeyRange;
  readonly #blocks: number[] = [];
  readonly #kept: (Uint8Array | null)[] = [];
  #at = 0;
  /** How many documents have the word. */
  documents = 0;

  constructor(reader: Reader, range: KeyRange) {
    this.#reader = reader;
    this.#range = range;
  }

  /** Reads which blocks there are; yields after each stride. */
  *gather(): Steps<void> {
    const { strideEntries, entryUnits } = limits.search;
    burn(strideEntries * entryUnits);
    for (const entry of this.#reader.range(this.#range.from, this.#range.to)) {
      const block = postingsOf(entry);
      this.documents += countIn(block);
      this.#blocks.push(blockIn(entry));
      this.#kept.push(block.length > KEPT_BYTES_MAX ? null : new Uint8Array(block));
      if (this.#blocks.length % strideEntries !== 0) continue;
      yield;
      burn(strideEntries * entryUnits);
    }
  }

  /** Goes back to the first block. */
  rewind(): void {
    this.#at = 0;
  }

  /** The present block; Infinity at the end. */
  get block(): number {
    return this.#at < this.#blocks.length ? this.#blocks[this.#at]! : Infinity;
  }

  /** Goes to the first block that is not before this one. */
  reach(block: number): void {
    while (this.block < block) this.#at++;
  }

  /** The bytes of the present block; undefined where it is gone. */
  bytes(): Uint8Array | undefined {
    return this.#kept[this.#at] ?? postingsIn(this.#reader, this.#range, this.#blocks[this.#at]!);
  }
}
