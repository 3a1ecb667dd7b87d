import type { Steps } from '#actors/kit/pace/steps.ts';

/** How many are put in order at a stretch. */
const STRIDE = 64;

/** The best of many ranked documents, as many as it has room for. Of equal ranks the older document is better. */
export class Best {
  readonly #ranks: Float64Array;
  readonly #documents: Float64Array;
  #size = 0;
  /** How many were offered that are behind the floor. */
  offered = 0;
  readonly #floor: Ranked | null;

  /** Takes only documents that are worse than `floor`. */
  constructor(room: number, floor: Ranked | null) {
    this.#ranks = new Float64Array(room);
    this.#documents = new Float64Array(room);
    this.#floor = floor;
  }

  get isFull(): boolean {
    return this.#size === this.#ranks.length;
  }

  offer(rank: number, document: number): void {
    const floor = this.#floor;
    if (floor !== null && !isBetter(floor.rank, floor.document, rank, document)) return;
    this.offered++;
    if (!this.isFull) this.#rise(this.#size++, rank, document);
    else if (isBetter(rank, document, this.#ranks[0]!, this.#documents[0]!)) this.#sink(rank, document, this.#size);
  }

  get size(): number {
    return this.#size;
  }

  /** Puts the kept ones in order; yields after each stride. Nothing may be offered from then on. */
  *sort(): Steps<void> {
    for (let last = this.#size - 1; last > 0; last--) {
      const rank = this.#ranks[last]!;
      const document = this.#documents[last]!;
      this.#move(0, last);
      this.#sink(rank, document, last);
      if (last % STRIDE === 0) yield;
    }
  }

  /** The nth best, once they are in order. */
  at(n: number): Ranked {
    return { rank: this.#ranks[n]!, document: this.#documents[n]! };
  }

  #rise(from: number, rank: number, document: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBetter(this.#ranks[parent]!, this.#documents[parent]!, rank, document)) this.#move(parent, at);
      else break;
      at = parent;
    }
    this.#ranks[at] = rank;
    this.#documents[at] = document;
  }

  /** Puts a document in the place of the worst, which lies at the root. */
  #sink(rank: number, document: number, size: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#isWorse(child + 1, child)) child++;
      if (!isBetter(rank, document, this.#ranks[child]!, this.#documents[child]!)) break;
      this.#move(child, at);
      at = child;
    }
    this.#ranks[at] = rank;
    this.#documents[at] = document;
  }

  #isWorse(a: number, b: number): boolean {
    return isBetter(this.#ranks[b]!, this.#documents[b]!, this.#ranks[a]!, this.#documents[a]!);
  }

  #move(from: number, to: number): void {
    this.#ranks[to] = this.#ranks[from]!;
    this.#documents[to] = this.#documents[from]!;
  }
}

export interface Ranked {
  readonly rank: number;
  readonly document: number;
}

function isBetter(rank: number, document: number, otherRank: number, otherDocument: number): boolean {
  return rank > otherRank || (rank === otherRank && document < otherDocument);
}
