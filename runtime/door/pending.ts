/** Visits that wait for a thread's reply, by number. Numbers are reused, so the table stays as small as the concurrency. */
import type { Arrival } from './arrival.ts';
import type { Desk } from './desk.ts';

/** What the door keeps of a request until its answer. */
export type Waiting = Pick<Arrival, 'visit' | 'requestId' | 'desk' | 'route' | 'tenant' | 'stream' | 'trace'>;

export class PendingVisits {
  readonly #slots: (Waiting | null)[] = [];
  readonly #free: number[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Enters a request that waits for its desk's reply, and gives its number. */
  open(waiting: Waiting): number {
    this.#count++;
    waiting.desk.inFlight++;
    const no = this.#free.pop() ?? this.#slots.length;
    this.#slots[no] = waiting;
    return no;
  }

  /** Takes out the request under a number, which is free afterwards; null when it was settled before, because its thread died. */
  settle(no: number): Waiting | null {
    const waiting = this.#slots[no] ?? null;
    if (waiting === null) return null;
    this.#slots[no] = null;
    this.#free.push(no);
    this.#count--;
    waiting.desk.inFlight--;
    return waiting;
  }

  /** The request under a number, which stays taken; null when there is none. */
  at(no: number): Waiting | null {
    return this.#slots[no] ?? null;
  }

  /** Takes out every request that waits for `desk`, whose thread is gone. */
  settleAll(desk: Desk): Waiting[] {
    const gone: Waiting[] = [];
    for (let no = 0; no < this.#slots.length; no++) {
      if (this.#slots[no]?.desk === desk) gone.push(this.settle(no)!);
    }
    return gone;
  }
}
