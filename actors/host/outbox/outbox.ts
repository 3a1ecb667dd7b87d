/**
 * What has to leave the node because of a commit: entries of a tenant's store, staged in that commit, so that after a crash change and
 * entries exist, or neither. An entry stays until its receiver has answered: at least once.
 *
 *   staged ─▶ committed ─▶ durable: main is notified ─▶ taken, again by each new receiver ─▶ settled: deleted
 *      └─ the outbox is full: dropped and counted            └─ worth nothing any more: ended, deleted
 */
import type { Reader, Store, Turn } from '#storage/port.ts';
import type { Table } from '#storage/table.ts';
import type { KeyPart } from '#storage/key.ts';
import type { OutboxWish, Taken } from '#actors/protocol/outbox.ts';
import type { Activation } from '../activation.ts';
import type { Work } from '../work.ts';
import { PendingNews } from './pending-news.ts';

/** What happens to an entry now: it leaves as the parcel that the function makes, waits for a later ask, or ends here. */
export type Judged<Parcel> = (() => Parcel) | 'waits' | 'ended';

/** One kind of entry, the parcel that leaves of it, and the receiver's answer. The table defines the records' format. */
export interface OutboxKind<Entry extends { readonly id: string }, Parcel, Answer> {
  readonly table: Table<Entry>;
  /** Parts of a key before the id. */
  readonly under: readonly KeyPart[];
  readonly entriesMax: number;
  /** Entries that one ask hands out. */
  readonly takeMax: number;
  /** Whether `judge` goes by the tenant's definitions: while these cannot be used, all entries wait. */
  readonly needsDefinitions?: true;
  /** How many entries of a lane wait, where that is known; when absent, entries are counted one by one. */
  readonly waiting?: (turn: Turn, lane: string) => number;
  /** Counts what was staged in the turn, and how many were dropped since the lane was full. */
  staged?(turn: Turn, entries: readonly Entry[], dropped: number, lane: string): void;
  judge(work: Work, entry: Entry): Judged<Parcel>;
  /** The entry is deleted in this turn: with the receiver's answer, or null when it could not leave any more. */
  ended(work: Work, entry: Entry, answer: Answer | null): void;
}

/** An outbox as the thread's shell sees it. */
export interface ServedOutbox<Parcel, Answer> {
  take(work: Work, wish: Omit<OutboxWish, 'tenantNo'>): Taken<Parcel>;
  settle(work: Work, answer: Answer): null;
}

/** Entries of one lane are bounded together; most outboxes have one lane. */
const ONLY_LANE = '';

export class Outbox<
  Entry extends { readonly id: string },
  Parcel,
  Answer extends { readonly id: string },
> implements ServedOutbox<Parcel, Answer> {
  readonly #kind: OutboxKind<Entry, Parcel, Answer>;
  readonly #pending: (tenantNo: number) => void;
  readonly #news = new WeakMap<Activation, PendingNews>();
  /** Tenants that were asked while their definitions could not be used. */
  readonly #unjudged = new Set<number>();

  /** One for all tenants of a thread. `pending` notifies main that a tenant's outbox holds entries, all durable by then. */
  constructor(kind: OutboxKind<Entry, Parcel, Answer>, pending: (tenantNo: number) => void) {
    this.#kind = kind;
    this.#pending = pending;
  }

  /** Stages entries as far as there is room; gives how many were dropped. Call `notify` once the turn is committed. */
  stage(turn: Turn, entries: readonly Entry[], lane = ONLY_LANE): number {
    const room = this.room(turn, entries.length, lane);
    const dropped = entries.length - room;
    const taken = dropped === 0 ? entries : entries.slice(0, room);
    for (const entry of taken) this.#kind.table.put(turn, entry, ...this.#kind.under, entry.id);
    this.#kind.staged?.(turn, taken, dropped, lane);
    return dropped;
  }

  /**
   * The work of `stage` for an entry that never leaves, where time must not tell that none does. A few rows under `apart` stand for all of them: one
   * alone would be written faster than rows that are new.
   */
  stageDecoy(turn: Turn, entries: readonly Entry[], apart: readonly KeyPart[]): void {
    const room = this.room(turn, entries.length);
    for (const entry of entries.slice(0, room)) this.#kind.table.put(turn, entry, ...apart, entry.id.slice(-1));
  }

  /** How many of the wanted entries have room. */
  room(turn: Turn, wanted: number, lane = ONLY_LANE): number {
    const { entriesMax } = this.#kind;
    const waiting = this.#kind.waiting?.(turn, lane) ?? countUpTo(entriesMax, this.entries(turn));
    return Math.max(0, Math.min(wanted, entriesMax - waiting));
  }

  /** Oldest first. */
  entries(reader: Reader): IterableIterator<Entry> {
    return this.#kind.table.scan(reader, this.#kind.under);
  }

  find(reader: Reader, id: string): Entry | undefined {
    return this.#kind.table.get(reader, ...this.#kind.under, id);
  }

  /** Entries were committed: main is notified once they are durable. */
  notify(activation: Activation, newest: number): void {
    this.#newsOf(activation).notify(newest);
  }

  #newsOf(activation: Activation): PendingNews {
    let news = this.#news.get(activation);
    if (news === undefined) {
      const { store, tenantNo } = activation;
      this.#news.set(activation, (news = new PendingNews(store, () => this.#pending(tenantNo))));
    }
    return news;
  }

  /** A tenant wakes: main is notified of entries that had to wait for its definitions, if these can be used now. */
  wake({ withheld, store, tenantNo }: Activation): void {
    if (withheld === undefined && this.#unjudged.delete(tenantNo)) this.resume(store, tenantNo);
  }

  /** Notifies main of entries that a crash left, without waking the tenant. */
  resume(store: Store, tenantNo: number): void {
    const turn = store.begin();
    const isEmpty = this.#kind.table.first(turn, this.#kind.under) === undefined;
    const { newest } = turn;
    turn.abort();
    if (!isEmpty) new PendingNews(store, () => this.#pending(tenantNo)).notify(newest);
  }

  /** Entries that the receiver does not hold yet, oldest first. Entries that are of no more use end here. */
  take(work: Work, { except, limit }: Omit<OutboxWish, 'tenantNo'>): Taken<Parcel> {
    if (this.#kind.needsDefinitions === true && work.activation.withheld !== undefined) {
      this.#unjudged.add(work.activation.tenantNo);
      return { parcels: [], more: false };
    }
    const { table, under } = this.#kind;
    const held = new Set(except.map((id) => table.key(...under, id)));
    const most = Math.min(limit, this.#kind.takeMax);
    const leaving: (() => Parcel)[] = [];
    const ended: Entry[] = [];
    let more = false;
    for (const entry of table.scanOthers(work.turn(), under, held)) {
      const judged = this.#kind.judge(work, entry);
      if (judged === 'waits') continue;
      more = leaving.length === most || ended.length === this.#kind.takeMax;
      if (more) break;
      if (judged === 'ended') ended.push(entry);
      else leaving.push(judged);
    }
    // Only when no read of the turn's entries is under way: parcels and ends both write.
    const parcels = leaving.map((open) => open());
    for (const entry of ended) this.#end(work, entry, null);
    if (!more) this.#newsOf(work.activation).handedOver();
    return { parcels, more };
  }

  /** The receiver's answer. An entry that is gone was settled before. */
  settle(work: Work, answer: Answer): null {
    const entry = this.find(work.turn(), answer.id);
    if (entry !== undefined) this.#end(work, entry, answer);
    return null;
  }

  /** Stores an entry that waits on with something new in it; one that is gone meanwhile stays gone. */
  amend(turn: Turn, entry: Entry): void {
    if (this.find(turn, entry.id) !== undefined) this.#kind.table.put(turn, entry, ...this.#kind.under, entry.id);
  }

  /** Ends an entry by hand: it does not leave any more, unless its receiver has it already. False where there is no such entry. */
  drop(work: Work, id: string): boolean {
    const entry = this.find(work.turn(), id);
    if (entry !== undefined) this.#end(work, entry, null);
    return entry !== undefined;
  }

  #end(work: Work, entry: Entry, answer: Answer | null): void {
    this.#kind.table.del(work.turn(), ...this.#kind.under, entry.id);
    this.#kind.ended(work, entry, answer);
  }
}

function countUpTo(most: number, entries: Iterable<unknown>): number {
  let count = 0;
  for (const _entry of entries) if (++count >= most) break;
  return count;
}
