/** Visits that wait for a thread's reply, by number. Numbers are reused, so the table stays as small as the concurrency. */
import type { Desk } from './desk.ts';
import type { Visit } from './port.ts';

interface Waiting {
  visit: Visit | null;
  requestId: string;
  desk: Desk | null;
  route: number;
}

export class PendingVisits {
  readonly #slots: Waiting[] = [];
  readonly #free: number[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  open(visit: Visit, requestId: string, desk: Desk, route: number): number {
    this.#count++;
    const no = this.#free.pop() ?? this.#slots.length;
    const slot = this.#slots[no];
    if (slot === undefined) this.#slots.push({ visit, requestId, desk, route });
    else {
      slot.visit = visit;
      slot.requestId = requestId;
      slot.desk = desk;
      slot.route = route;
    }
    return no;
  }

  /** The waiting visit under a number, which is free again afterwards; null when a dead thread's visits were settled already. */
  settle(no: number, take: (visit: Visit, requestId: string, route: number) => void): void {
    const slot = this.#slots[no];
    if (slot === undefined || slot.visit === null) return;
    const { visit, requestId, route } = slot;
    slot.visit = null;
    slot.desk = null;
    this.#free.push(no);
    this.#count--;
    take(visit, requestId, route);
  }

  /** Settles every visit that waits for `desk`: its thread is gone. */
  settleAll(desk: Desk, take: (visit: Visit, requestId: string, route: number) => void): void {
    for (let no = 0; no < this.#slots.length; no++) if (this.#slots[no]!.desk === desk) this.settle(no, take);
  }
}
