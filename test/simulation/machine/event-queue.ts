/** Events by their time, those of one time in the order in which they were added. */
import type { Room } from './room.ts';

export interface Event {
  /** Later than planned where its room stands still then. */
  atMs: number;
  readonly no: number;
  /** Where it happens; a dead room when it was called off. */
  room: Room;
  /** For the trace. */
  readonly line: string;
  /** The part of it that the operating system does, which may be done although the room is dead. */
  readonly act: (() => unknown) | null;
  readonly run: () => void;
}

const isBefore = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.no < b.no);

/** A binary heap. */
export class EventQueue {
  #heap: Event[] = [];

  push(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  pop(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  inOrder(): Event[] {
    return this.#heap.toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  /** Forgets events of dead rooms. */
  dropDead(): void {
    const living = this.inOrder().filter(({ room }) => room.alive);
    this.#heap = living; // sorted, so it is a heap
  }
}
