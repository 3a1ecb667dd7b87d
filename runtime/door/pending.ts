/** Visits that wait for a thread's reply, by number. Numbers are reused, so the table stays as small as the concurrency. */
import type { Arrival } from './arrival.ts';
import type { Desk } from './desk.ts';

/** What has to be known of a request until its answer. */
export type Waiting = Pick<Arrival, 'visit' | 'requestId' | 'desk' | 'route' | 'stream'>;

export class PendingVisits {
  readonly #slots: (Waiting | null)[] = [];
  readonly #free: number[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The request waits for its desk's reply from now on; its number. */
  open(waiting: Waiting): number {
    this.#count++;
    waiting.desk.inFlight++;
    const no = this.#free.pop() ?? this.#slots.length;
    this.#slots[no] = waiting;
    return no;
  }

  /** The waiting visit under a number, which is free again afterwards; null when a dead thread's visits were settled already. */
  settle(no: number): Waiting | null {
    const waiting = this.#slots[no] ?? null;
    if (waiting === null) return null;
    this.#slots[no] = null;
    this.#free.push(no);
    this.#count--;
    waiting.desk.inFlight--;
    return waiting;
  }

  /** The waiting visit under a number, which stays taken; null when there is none. */
  at(no: number): Waiting | null {
    return this.#slots[no] ?? null;
  }

  /** Settles every visit that waits for `desk`: its thread is gone. */
  settleAll(desk: Desk): Waiting[] {
    const gone: Waiting[] = [];
    for (let no = 0; no < this.#slots.length; no++) {
      if (this.#slots[no]?.desk === desk) gone.push(this.settle(no)!);
    }
    return gone;
  }
}
