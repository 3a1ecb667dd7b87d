/**
 * What a shard's journal holds and LMDB does not, in two generations: one that grows, and one that a sweep is writing to LMDB.
 * A generation leaves as a whole, so that its removal costs nothing per write. A view that holds its runs still shows them.
 */
import type { Bytes } from '../port.ts';
import type { Cell } from './cell.ts';
import { Generation, type Frozen } from './generation.ts';
import { Walk } from './walk.ts';

export class Overlay {
  #growing = new Generation();
  #leaving: Generation | null = null;

  /** The generation that takes what is added. */
  get growing(): Generation {
    return this.#growing;
  }

  get empty(): boolean {
    return this.#growing.cells === 0 && this.#leaving === null;
  }

  get(key: Bytes): Cell | undefined {
    return this.#growing.get(key) ?? this.#leaving?.get(key);
  }

  /** All that is here begins to leave; no other generation may be on its way. */
  turn(): Generation {
    if (this.#leaving !== null) throw new Error('a generation is leaving already');
    this.#leaving = this.#growing;
    this.#growing = new Generation();
    return this.#leaving;
  }

  /** LMDB has all of the generation that was leaving. */
  drop(): void {
    this.#leaving = null;
  }

  /** Walks over `from <= key < to`, youngest generation first. */
  walks(from: Bytes, to: Bytes, reverse: boolean): Walk[] {
    const walks: Walk[] = [];
    for (const generation of this.#generations()) {
      const runs = generation.runs(from, to);
      if (runs.length > 0) walks.push(new Walk(runs, from, to, reverse));
    }
    return walks;
  }

  /** A view of the keys that begin with `prefix`, youngest generation first. */
  freeze(prefix: Bytes): Frozen[] {
    return this.#generations().map((generation) => generation.freeze(prefix));
  }

  #generations(): Generation[] {
    return this.#leaving === null ? [this.#growing] : [this.#growing, this.#leaving];
  }
}
