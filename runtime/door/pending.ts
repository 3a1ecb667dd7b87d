/** Visits that wait for a thread's reply, by number. Numbers are reused, so the table stays as small as the concurrency. */
import type { Desk } from './desk.ts';
import type { DoorStream } from './door-stream.ts';
import type { Visit } from './port.ts';

export interface Waiting {
  readonly visit: Visit;
  readonly requestId: string;
  readonly desk: Desk;
  readonly route: number;
  /** Its body or its answer goes in pieces. */
  stream: DoorStream | null;
}

export class PendingVisits {
  readonly #slots: (Waiting | null)[] = [];
  readonly #free: number[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  open(visit: Visit, requestId: string, desk: Desk, route: number): number {
    this.#count++;
    desk.inFlight++;
    const no = this.#free.pop() ?? this.#slots.length;
    this.#slots[no] = { visit, requestId, desk, route, stream: null };
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
