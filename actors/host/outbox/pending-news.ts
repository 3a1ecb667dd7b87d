/** Notifies main that an outbox holds something: once, until main was handed everything. */
import type { Store } from '#storage/port.ts';

export class PendingNews {
  readonly #store: Store;
  readonly #pending: () => void;
  #isKnown = false;

  constructor(store: Store, pending: () => void) {
    this.#store = store;
    this.#pending = pending;
  }

  /** Something was committed, newest with this journal number; main hears of it when it is durable. */
  notify(newest: number): void {
    if (this.#isKnown) return;
    this.#isKnown = true;
    this.#store.whenDurable(newest, this.#pending);
  }

  /** Main has everything that waits: what comes now is news. */
  handedOver(): void {
    this.#isKnown = false;
  }
}
