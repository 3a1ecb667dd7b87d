/**
 * A tenant's events on their way to the audit log: rows of the tenant's store, written in the commit of the change that they report. Their
 * numbers have no holes: they are given in the step that commits.
 *
 *   event n ─▶ slot n mod 4,096, written over once n has been settled; where so many wait, a row of its own, deleted then
 *
 * So an event costs its commit one write and none when it is settled, and LMDB writes a slot once for many events.
 */
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import { StorageFull } from '#storage/fault.ts';
import type { Lookup, Store, Turn } from '#storage/port.ts';
import { decodeRecord, encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import type { AuditParcel, NewAuditEvent } from '#actors/protocol/audit.ts';
import type { Taken } from '#actors/protocol/outbox.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { packEvents } from './event-batch.ts';
import { HeldEvents } from './held-events.ts';
import { PendingNews } from './pending-news.ts';

interface Row extends NewAuditEvent {
  readonly n: number;
}

const rows = new Table<Row>('audit_outbox', TABLES.audit_outbox);
const settled = new Table<number>('audit_settled', TABLES.audit_settled);

const SLOT = 'slot';
/** Part of the format on the disk, so not a limit to be set: with another number earlier slots would not be found. */
const SLOTS = 4096;

/** One for each tenant of a thread; it outlives activations. */
export class EventOutbox {
  readonly #store: Store;
  readonly #news: PendingNews;
  readonly #held = new HeldEvents();
  /** Numbers that have a row of their own. */
  readonly #rows = new Set<number>();
  #last: number;
  #settled: number;
  /** Journal number of the newest commit: what is handed out is durable with it. */
  #newest = 0;

  /** `pending` notifies main that there are events, all durable by then. */
  constructor(store: Store, pending: () => void) {
    this.#store = store;
    this.#news = new PendingNews(store, pending);
    const turn = store.begin();
    this.#settled = settled.get(turn, 'last') ?? 0;
    this.#last = this.#settled;
    for (let n = this.#last + 1; ; n++) {
      if (slotOf(turn, n) === null) {
        if (turn.get(rows.key(n)) === undefined) break;
        this.#rows.add(n);
      }
      this.#last = n;
    }
    this.#newest = turn.newest;
    turn.abort();
  }

  /** Events that the audit log has not acknowledged. */
  get depth(): number {
    return this.#last - this.#settled;
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#last;
  }

  /** Stages events with the next numbers and commits the turn with them. Throws StorageFull; then no number was given. */
  commit(turn: Turn, events: readonly NewAuditEvent[]): void {
    if (this.depth + events.length > limits.audit.outboxEntriesMax) throw new StorageFull('overlay');
    const records = events.map((event, at) => encoded(this.#last + 1 + at, event));
    for (const [at, record] of records.entries()) {
      const n = this.#last + 1 + at;
      turn.put(this.#hasSlot(n) ? rows.key(SLOT, n % SLOTS) : rows.key(n), record);
    }
    turn.commit();
    for (const record of records) this.#joined(++this.#last, record);
    this.#newest = turn.newest;
    this.#news.notify(this.#newest);
  }

  #joined(n: number, record: Uint8Array): void {
    if (!this.#hasSlot(n)) this.#rows.add(n);
    this.#held.add(n, record);
  }

  /** The slot of a new number is free when the event that used it before is settled. */
  #hasSlot(n: number): boolean {
    return n - this.#settled <= SLOTS;
  }

  /** Notifies main of events that a crash left. */
  resume(): void {
    if (this.depth > 0) this.#news.notify(this.#newest);
  }

  /** The oldest events as they cross threads, for the log of a tenant. */
  async parcels({ no, position, events: source }: TenantEntry): Promise<Taken<AuditParcel>> {
    const { records, upTo, more } = await this.take(limits.audit.takeEntriesMax);
    if (records.length === 0) return { parcels: [], more };
    const batch = { position, records: packEvents(records), ...(source !== undefined && { source }) };
    return { parcels: [{ tenantNo: no, upTo, batch }], more };
  }

  /** The oldest events, in order, as they lie here; only what is durable is handed out. */
  async take(limit: number): Promise<{ records: readonly Uint8Array[]; upTo: number; more: boolean }> {
    const first = this.#settled + 1;
    const records = this.#held.from(first, limit) ?? this.#read(first, limit);
    const upTo = this.#settled + records.length;
    const more = this.#last > upTo;
    if (!more) this.#news.handedOver();
    await new Promise<void>((resolve) => this.#store.whenDurable(this.#newest, resolve));
    return { records, upTo, more };
  }

  #read(first: number, limit: number): Uint8Array[] {
    const turn = this.#store.begin();
    const records: Uint8Array[] = [];
    let bytes = 0;
    for (let n = first; n <= this.#last && records.length < limit && bytes < limits.audit.takeBytesMax; n++) {
      const record = Buffer.from((slotOf(turn, n) ?? turn.get(rows.key(n)))!); // a copy: the next read writes over it
      bytes += record.length;
      records.push(record);
    }
    turn.abort();
    return records;
  }

  /** The log holds everything up to this number. */
  settle(upTo: number): void {
    if (upTo <= this.#settled || upTo > this.#last) return;
    const turn = this.#store.begin();
    const gone: number[] = [];
    if (this.#rows.size > 0) for (let n = this.#settled + 1; n <= upTo; n++) if (this.#rows.has(n)) gone.push(n);
    for (const n of gone) rows.del(turn, n);
    settled.put(turn, upTo, 'last');
    turn.commit();
    for (const n of gone) this.#rows.delete(n);
    this.#settled = upTo;
    this.#held.drop(upTo);
  }
}

function encoded(n: number, event: NewAuditEvent): Buffer {
  const row: Row = { n, ...event };
  return encodeRecord(TABLES.audit_outbox.version, row);
}

/** The record of an event in its slot; null when another event has the slot. */
function slotOf(reader: Lookup, n: number): Uint8Array | null {
  const record = reader.get(rows.key(SLOT, n % SLOTS));
  return record !== undefined && (decodeRecord(record, 'audit_outbox') as Row).n === n ? record : null;
}
