/** The documents of one block that have every word of a search, and their ranks. */
import { burn } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { BLOCK_DOCS, Postings } from './postings.ts';
import type { Lengths } from './store.ts';
import type { TermList } from './term-list.ts';

/** BM25 as Robertson and Zaragoza give it in 2009. */
const K1 = 1.2;
const B = 0.75;

/** How often a word is found, as a weight: rare words count for more. Never below 0. */
export function weightOf(documents: number, having: number): number {
  const n = Math.min(having, documents);
  return Math.log(1 + (documents - n + 0.5) / (n + 0.5));
}

/** What one word adds to the rank of a document with so many words. */
function rankOf(weight: number, occurrences: number, length: number, average: number): number {
  return (weight * occurrences * (K1 + 1)) / (occurrences + K1 * (1 - B + (B * length) / average));
}

/** One word of a search: the words of the index that it stands for, and its weight. */
export interface Sought {
  readonly lists: readonly TermList[];
  readonly weight: number;
}

const OCCURRENCES_PER_UNIT = 16;

export class Matcher {
  readonly #sought: readonly Sought[];
  readonly #lengths: Lengths;
  readonly #average: number;
  readonly #postings = new Postings();
  /** Of each place of a block how many words it has, and of each word how often. */
  readonly #words = new Uint8Array(BLOCK_DOCS);
  readonly #occurrences: readonly Float64Array[];

  /** The rarest word first: its blocks lead. */
  constructor(sought: readonly Sought[], lengths: Lengths, average: number) {
    this.#sought = sought;
    this.#lengths = lengths;
    this.#average = average;
    this.#occurrences = sought.map(() => new Float64Array(BLOCK_DOCS));
  }

  /** The first block, not before `from`, in which every word occurs; Infinity where there is none. */
  blockFrom(from: number): number {
    for (let block = from; ;) {
      let farthest = block;
      for (const { lists } of this.#sought) {
        let nearest = Infinity;
        for (const list of lists) {
          list.reach(farthest);
          if (list.block < nearest) nearest = list.block;
        }
        if (nearest > farthest) farthest = nearest;
      }
      if (farthest === block || farthest === Infinity) return farthest;
      block = farthest;
    }
  }

  /** The documents of a block that have every word, in their order. */
  documentsIn(block: number): number[] {
    let places: number[] = [];
    for (const [at, { lists }] of this.#sought.entries()) places = this.#withWord(block, at, lists);
    const documents = this.#sought.length === 1 || this.#isSimple() ? places : places.toSorted((a, b) => a - b);
    this.#words.fill(0);
    return documents.map((place) => block * BLOCK_DOCS + place);
  }

  #isSimple(): boolean {
    return this.#sought.at(-1)!.lists.length === 1;
  }

  /** The places that have the words up to this one. */
  #withWord(block: number, at: number, lists: readonly TermList[]): number[] {
    const occurrences = this.#occurrences[at]!;
    const places: number[] = [];
    for (const list of lists) {
      if (list.block !== block) continue;
      const bytes = list.bytes();
      if (bytes === undefined) continue;
      const { length, places: read, occurrences: times } = this.#postings.read(bytes);
      burn((limits.search.occurrenceUnits * length) / OCCURRENCES_PER_UNIT);
      for (let i = 0; i < length; i++) {
        const place = read[i]!;
        const words = this.#words[place]!;
        if (words === at) {
          this.#words[place] = at + 1;
          occurrences[place] = times[i]!;
          places.push(place);
        } else if (words === at + 1) occurrences[place]! += times[i]!;
      }
    }
    return places;
  }

  /** The rank of a document that `documentsIn` gave last. */
  rank(document: number): number {
    const place = document & (BLOCK_DOCS - 1);
    const length = this.#lengths.of(document);
    let rank = 0;
    for (const [at, { weight }] of this.#sought.entries())
      rank += rankOf(weight, this.#occurrences[at]![place]!, length, this.#average);
    return rank;
  }

  /** From the first block again. */
  rewind(): void {
    for (const { lists } of this.#sought) for (const list of lists) list.rewind();
  }
}
