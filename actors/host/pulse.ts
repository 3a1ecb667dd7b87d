/**
 * A thread's sign of life in shared memory, for main's watchdog (runtime/supervisor/watchdog.ts): that its event loop turns, and what it
 * works on. Plain stores without allocation, two a call: a bench bounds them to some nanoseconds. Main reads the cells of a thread that
 * stands still, so all of them are from one write.
 */

/** Cells: beats of the loop; turns begun and ended; activity, tenant, route and request of the door that the thread works on. */
const BEAT = 0;
const SEQ = 1;
const KIND = 2;
const TENANT = 3;
const ROUTE = 4;
const CALL = 5;

/** One cache line, so that two threads do not share one. */
const PULSE_CELLS = 16;

/** What a thread works on; `loop` is all that does not mark itself: timers, storage, the rest of a handler that waited. */
export const ACTIVITIES = ['loop', 'request', 'ask', 'wake'] as const;
export type Activity = (typeof ACTIVITIES)[number];
const LOOP = 0;
const REQUEST = 1;
const MARKS = { ask: 2, wake: 3 } as const;

/** The work belongs to no request of the door. */
const NONE = -1;

export interface PulseReading {
  /** Moves with every turn of the event loop that its timer saw, and with every turn begun or ended. */
  readonly beats: number;
  readonly activity: Activity;
  readonly tenantNo: number;
  readonly routeNo: number;
  /** The door's number of the request; -1 for other work. */
  readonly call: number;
}

export function createPulse(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(PULSE_CELLS * Int32Array.BYTES_PER_ELEMENT));
}

export class Pulse {
  readonly #cells: Int32Array;

  constructor(cells: Int32Array = new Int32Array(PULSE_CELLS)) {
    this.#cells = cells;
  }

  /** A call's turn begins, or goes on after a wait. */
  call(tenantNo: number, routeNo: number, no: number): void {
    const cells = this.#cells;
    cells[SEQ]!++;
    cells[KIND] = REQUEST;
    cells[TENANT] = tenantNo;
    cells[ROUTE] = routeNo;
    cells[CALL] = no;
  }

  /** Work of a tenant begins that belongs to no request of the door. */
  mark(activity: keyof typeof MARKS, tenantNo: number): void {
    this.call(tenantNo, NONE, NONE);
    this.#cells[KIND] = MARKS[activity];
  }

  /** The turn has ended. */
  rest(): void {
    const cells = this.#cells;
    cells[SEQ]!++;
    cells[KIND] = LOOP;
  }

  /** Moves with every turn that began or ended. */
  get turns(): number {
    return this.#cells[SEQ]!;
  }

  /** The event loop has turned: work that is marked and not ended waits for something. */
  beat(): void {
    Atomics.add(this.#cells, BEAT, 1);
    this.#cells[KIND] = LOOP;
  }
}

/** What main sees of a thread. */
export function readPulse(cells: Int32Array): PulseReading {
  return {
    beats: (Atomics.load(cells, BEAT) + Atomics.load(cells, SEQ)) | 0,
    activity: ACTIVITIES[Atomics.load(cells, KIND)] ?? 'loop',
    tenantNo: cells[TENANT]!,
    routeNo: cells[ROUTE]!,
    call: cells[CALL]!,
  };
}
