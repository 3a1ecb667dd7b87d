/** Adds the rows of before an index to it: when the index is first needed, in turns beside the requests, and going on where a stop broke it off. */
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import type { Identity } from './identity.ts';
import type { Turn } from './store.ts';

interface Building {
  /** Settles when the index has every row; null before it is first needed. */
  done: Promise<void> | null;
  ready: boolean;
}

/** How far an index of rows of before it has come. */
export interface Progress<T> {
  /** The last row that was added; null when all are. */
  readonly after: T | null;
}

/** Stages what one turn adds and how far it came; gives whether it was the last, and stages nothing where all was added before. */
export type AddSlice = (turn: Turn) => boolean;

export class IndexBuild {
  readonly #building: Part<Building>;
  readonly #addSlice: AddSlice;

  constructor(name: string, addSlice: AddSlice) {
    this.#building = new Part<Building>(name, () => ({ done: null, ready: false }));
    this.#addSlice = addSlice;
  }

  /** Null when the index has every row, else a promise of that: after it the caller takes a new turn. */
  ready(identity: Identity, activation: Activation): Promise<void> | null {
    const building = this.#building.of(activation);
    if (building.ready) return null;
    building.done ??= this.#build(identity, activation).then(
      () => void (building.ready = true),
      (error: unknown) => {
        building.done = null; // the next call goes on
        throw error;
      },
    );
    return building.done;
  }

  async #build(identity: Identity, activation: Activation): Promise<void> {
    while (!this.#isLast(activation)) await identity.afterTurn();
  }

  #isLast({ store }: Activation): boolean {
    const turn = store.begin();
    try {
      const isLast = this.#addSlice(turn);
      if (turn.dirty) turn.commit();
      else turn.abort();
      return isLast;
    } catch (error) {
      turn.abort();
      throw error;
    }
  }
}
