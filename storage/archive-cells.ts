/**
 * What main and the other hosts see of an archive without asking its thread: numbers in shared memory, one row for each host. The
 * machines that Node runs on write a double in one piece, so a reader never sees half of a number.
 */
const FIELDS = 3;
const PENDING = 0;
const EPOCH = 1;
const DURABLE = 2;

/** Memory for the rows of so many hosts. */
export function createArchiveCells(hosts: number): SharedArrayBuffer {
  return new SharedArrayBuffer(Math.max(1, hosts) * FIELDS * Float64Array.BYTES_PER_ELEMENT);
}

/** How far a journal has come. */
export interface JournalReach {
  readonly epoch: number;
  /** The newest record that is on the disk. */
  readonly number: number;
}

export class ArchiveCells {
  readonly #cells: Float64Array;
  readonly #at: number;

  /** `row`: the host's own. */
  constructor(buffer: SharedArrayBuffer = createArchiveCells(1), row = 0) {
    this.#cells = new Float64Array(buffer);
    this.#at = row * FIELDS;
  }

  /** Bytes that this archive has accepted and not written to the disk yet. */
  set pending(bytes: number) {
    this.#cells[this.#at + PENDING] = bytes;
  }

  /** Of all archives together. */
  get pendingOfAll(): number {
    const cells = this.#cells;
    let sum = 0;
    for (let at = PENDING; at < cells.length; at += FIELDS) sum += cells[at]!;
    return sum;
  }

  /** Another journal begins. */
  begin(epoch: number): void {
    this.#cells[this.#at + DURABLE] = 0;
    this.#cells[this.#at + EPOCH] = epoch;
  }

  set durable(number: number) {
    this.#cells[this.#at + DURABLE] = number;
  }

  /** The journals that are open now. */
  reached(): JournalReach[] {
    const found: JournalReach[] = [];
    for (let at = 0; at < this.#cells.length; at += FIELDS) {
      const epoch = this.#cells[at + EPOCH]!;
      if (epoch > 0) found.push({ epoch, number: this.#cells[at + DURABLE]! });
    }
    return found;
  }
}
