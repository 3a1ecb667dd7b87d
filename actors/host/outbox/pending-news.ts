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

  /** Entries were committed, the newest with this journal number; main is notified when it is durable. */
  notify(newest: number): void {
    if (this.#isKnown) return;
    this.#isKnown = true;
    this.#store.whenDurable(newest, this.#pending);
  }

  /** Main has everything that waits: the next entry notifies it again. */
  handedOver(): void {
    this.#isKnown = false;
  }
}
