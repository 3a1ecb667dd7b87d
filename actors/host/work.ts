/** A piece of work on one tenant: its turns, and the newest journal number that it read or wrote (the reply rule). */
import type { Turn } from '#storage/port.ts';
import type { Activation } from './activation.ts';

/** Told how a turn ended: the newest journal number once its writes have joined the overlay, null when they were dropped. */
export type TurnEnd = (newest: number | null) => void;

export class Work {
  /** The tenant's activation, set by the host before the turn; null on routes that take no position. */
  tenant: Activation | null;
  #turn: Turn | null = null;
  #seen = 0;
  #ends: TurnEnd[] | null = null;

  constructor(tenant: Activation | null) {
    this.tenant = tenant;
  }

  /** The tenant's activation; a fault where none was let through. */
  get activation(): Activation {
    if (this.tenant === null) throw new Error('no tenant at this position');
    return this.tenant;
  }

  /** The current turn on the tenant's default datastore; the host commits it when the handler has answered with a reply. */
  turn(): Turn {
    return (this.#turn ??= this.activation.store.begin());
  }

  /** For a handler that waited: what was staged is dropped, what was read still counts for the reply rule. */
  nextTurn(): Turn {
    this.abort();
    return this.turn();
  }

  /** For memory that follows the store: it changes with the staging, and `then` takes that back when the turn is dropped. */
  onEnd(then: TurnEnd): void {
    (this.#ends ??= []).push(then);
  }

  /** Commits what is staged and ends the turn; the newest journal number that this work read or wrote. */
  commit(): number {
    if (this.#turn?.dirty === true) this.#turn.commit();
    return this.#end(true);
  }

  /** Drops what is staged and ends the turn; the newest journal number that this work read. */
  abort(): number {
    if (this.#turn?.dirty === true) this.#turn.abort();
    return this.#end(false);
  }

  /** Counts a read made outside the turn (a snapshot) for the reply rule. */
  saw(newest: number): void {
    if (newest > this.#seen) this.#seen = newest;
  }

  #end(kept: boolean): number {
    if (this.#turn !== null) {
      this.saw(this.#turn.newest);
      this.#turn = null;
    }
    if (this.#ends !== null) this.#tell(kept ? this.#seen : null, this.#ends);
    return this.#seen;
  }

  #tell(newest: number | null, ends: readonly TurnEnd[]): void {
    this.#ends = null;
    for (const then of ends) then(newest);
  }
}
