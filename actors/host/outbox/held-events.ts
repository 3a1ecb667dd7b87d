/** The newest events of an outbox as they were written, so that handing them out does not read the store, where all others are read. */
import { limits } from '#config/limits.ts';

export class HeldEvents {
  /** Consecutive, from `#first` on. */
  #records: Uint8Array[] = [];
  #first = 0;
  #bytes = 0;

  /** Holds the record of event `n`, unless the bound is reached or one before it is not held. */
  add(n: number, record: Uint8Array): void {
    const { outboxHeldMax, outboxHeldBytesMax } = limits.audit;
    if (this.#records.length === 0) this.#first = n;
    if (n !== this.#first + this.#records.length) return;
    if (this.#records.length >= outboxHeldMax || this.#bytes >= outboxHeldBytesMax) return;
    this.#records.push(record);
    this.#bytes += record.length;
  }

  /** At most `limit` records from event `first` on, fewer when they are large; null when event `first` is not held. */
  from(first: number, limit: number): Uint8Array[] | null {
    const at = first - this.#first;
    if (at < 0 || at >= this.#records.length) return null;
    const records: Uint8Array[] = [];
    let bytes = 0;
    for (let i = at; i < this.#records.length && records.length < limit && bytes < limits.audit.takeBytesMax; i++) {
      records.push(this.#records[i]!);
      bytes += this.#records[i]!.length;
    }
    return records;
  }

  /** Drops all events up to number `upTo`. */
  drop(upTo: number): void {
    const gone = this.#records.splice(0, Math.max(0, upTo - this.#first + 1));
    this.#first += gone.length;
    for (const record of gone) this.#bytes -= record.length;
  }
}
