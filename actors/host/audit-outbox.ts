/**
 * A tenant's events on their way to the audit log: rows of its own store, written in the commit of what they tell of, and deleted
 * when the log has answered. Their numbers have no holes: they are given in the step that commits.
 */
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import { StorageFull } from '#storage/fault.ts';
import { after } from '#storage/key.ts';
import type { Store, Turn } from '#storage/port.ts';
import { decodeRecord, encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import type { AuditEvent } from '#actors/protocol/audit.ts';

/** Who counts a tenant's events: the host that commits them. */
const SOURCE = 'host';

/** An event without its number. */
export type NewAuditEvent = Omit<AuditEvent, 'source' | 'source_seq'>;

const entries = new Table<NewAuditEvent>('audit_outbox', TABLES.audit_outbox);
const settled = new Table<number>('audit_settled', TABLES.audit_settled);

/** One for each tenant of a thread, whatever becomes of its activations. */
export class AuditOutbox {
  readonly #store: Store;
  readonly #pending: () => void;
  #last: number;
  #settled: number;
  #told = false;

  /** `pending` tells main that there are events; what they are is durable by then. */
  constructor(store: Store, pending: () => void) {
    this.#store = store;
    this.#pending = pending;
    const turn = store.begin();
    this.#settled = settled.get(turn, 'last') ?? 0;
    this.#last = this.#settled;
    const from = entries.key();
    const [newest] = turn.range(from, after(from), true);
    if (newest !== undefined) this.#last = (decodeRecord(newest.value, 'audit_outbox') as { n: number }).n;
    turn.abort();
  }

  /** Events that the log has not answered for. */
  get depth(): number {
    return this.#last - this.#settled;
  }

  /** Stages events with the next numbers and commits the turn with them. Throws StorageFull; then no number was given. */
  commit(turn: Turn, events: readonly NewAuditEvent[]): void {
    if (this.depth + events.length > limits.audit.outboxEntriesMax) throw new StorageFull('overlay');
    const before = this.#last;
    try {
      for (const event of events) {
        const n = ++this.#last;
        turn.put(entries.key(n), encodeRecord(TABLES.audit_outbox.version, { n, ...event }));
      }
      turn.commit();
    } catch (error) {
      this.#last = before;
      throw error;
    }
    this.#tell(turn.newest);
  }

  /** Tells of what a crash left. */
  resume(): void {
    if (this.depth > 0) this.#tell(0);
  }

  #tell(newest: number): void {
    if (this.#told) return;
    this.#told = true;
    this.#store.whenDurable(newest, this.#pending);
  }

  /** The oldest events, in order; only what is durable is handed out. */
  async take(limit: number): Promise<{ events: AuditEvent[]; more: boolean }> {
    const turn = this.#store.begin();
    const events: AuditEvent[] = [];
    const from = entries.key();
    for (const { value } of turn.range(from, after(from))) {
      const { n, ...event } = decodeRecord(value, 'audit_outbox') as NewAuditEvent & { n: number };
      events.push({ ...event, source: SOURCE, source_seq: n });
      if (events.length === limit) break;
    }
    const { newest } = turn;
    turn.abort();
    const more = this.depth > events.length;
    if (!more) this.#told = false;
    await new Promise<void>((resolve) => this.#store.whenDurable(newest, resolve));
    return { events, more };
  }

  /** The log holds everything up to this number. */
  settle(upTo: number): void {
    if (upTo <= this.#settled || upTo > this.#last) return;
    const turn = this.#store.begin();
    for (let n = this.#settled + 1; n <= upTo; n++) entries.del(turn, n);
    settled.put(turn, upTo, 'last');
    turn.commit();
    this.#settled = upTo;
  }
}
