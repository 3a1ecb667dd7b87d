/** A piece of work on one tenant: its turns, and the newest journal number that it read or wrote (the reply rule). */
import { StorageFull } from '#storage/fault.ts';
import type { Turn } from '#storage/port.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Trace } from '#actors/kit/trace/trace.ts';
import type { NewAuditEvent } from '#actors/protocol/audit.ts';
import { TurnOwner } from '#actors/protocol/turn-owner.ts';
import type { ConditionFault, FedChange, FiredEvent, RowChange, TurnEnd, What } from '#actors/protocol/turn-owner.ts';
import type { Activation } from './activation.ts';

/** The actor of a piece of work, as its events name it. */
export type Who = Pick<NewAuditEvent, 'actor' | 'subject' | 'session' | 'personal' | 'request_id'>;

/** An event, or what makes it when it is committed. */
export type Recorded = NewAuditEvent | (() => NewAuditEvent);

export class Work extends TurnOwner {
  /** The tenant's activation, set by the host before the turn; null on routes that take no position. */
  tenant: Activation | null;
  #turn: Turn | null = null;
  #seen = 0;
  /** Whether anything of this work was kept. */
  wrote = false;
  /** Stages more in each commit that another service makes on behalf of this work; that service's call has it as `beside`. */
  carried: ((turn: Turn) => void) | null = null;
  beside: ((turn: Turn) => void) | null = null;
  #ends: TurnEnd[] | null = null;
  /** Events of this work: those of its writes, and those that are recorded whatever its end is. */
  #events: Recorded[] | null = null;
  #always: Recorded[] | null = null;
  #changes: RowChange[] | null = null;
  #fired: FiredEvent[] | null = null;
  #fed: FedChange[] | null = null;
  /** How many triggers led to this work, each fired by what the one before it wrote. */
  triggerDepth = 0;
  /** Facts gathered for one event of the present turn, by the code that records it; dropped with the turn. */
  gathered: unknown[] | null = null;
  /** By how much the present turn makes the tenant larger. */
  #rowsMore = 0;
  #bytesMore = 0;
  /** The span that is under way; null for work that is not traced, which is most. */
  trace: Trace | null = null;

  constructor(tenant: Activation | null) {
    super();
    this.tenant = tenant;
  }

  /** The tenant's activation; throws when the call has none. */
  get activation(): Activation {
    if (this.tenant === null) throw new Error('no tenant at this position');
    return this.tenant;
  }

  /** Whether the work frees space: on a full disk it may use room that is kept from other work. */
  get frees(): boolean {
    return false;
  }

  /** The current turn on the tenant's default datastore; the host commits it when the handler has answered with a reply. */
  turn(): Turn {
    if (this.#turn !== null) return this.#turn;
    this.#turn = this.begin();
    this.#turn.owner = this;
    this.#turn.frees = this.frees;
    return this.#turn;
  }

  /** A new turn on the tenant's datastore. */
  protected begin(): Turn {
    return this.activation.store.begin();
  }

  /** Whether something waits to be committed. */
  get hasStaged(): boolean {
    return this.#turn?.dirty === true || this.#events !== null;
  }

  /** For a handler that waited: what was staged is dropped, what was read still counts for the reply rule. */
  nextTurn(): Turn {
    this.#drop();
    return this.turn();
  }

  /** For memory that follows the store: it changes with the staging, and `then` takes that back when the turn is dropped. */
  onEnd(then: TurnEnd): void {
    (this.#ends ??= []).push(then);
  }

  /**
   * Records an event in the commit of this work; with `always` also where nothing else is kept, such as a refusal. Costs nothing
   * where nothing is recorded.
   */
  record(event: Recorded, when: 'kept' | 'always' = 'kept'): void {
    if (this.tenant?.outbox === undefined) return;
    if (when === 'always') (this.#always ??= []).push(event);
    else (this.#events ??= []).push(event);
  }

  grew(rows: number, bytes: number): void {
    this.#rowsMore += rows;
    this.#bytesMore += bytes;
  }

  /** Whether the tenant's quotas of rows and bytes bound it: the node's own work and operators' are not refused. */
  protected get isBounded(): boolean {
    return false;
  }

  get now(): number {
    return this.activation.context.clock.now();
  }

  get wantsChanges(): boolean {
    const { outbox, rowWatch } = this.activation;
    return outbox !== undefined || rowWatch !== undefined;
  }

  get recordsEvents(): boolean {
    return this.activation.outbox !== undefined;
  }

  watchedKeyOf(entity: string): string | undefined {
    return this.activation.rowWatch?.keyOf(entity);
  }

  deriveSoon(): void {
    this.activation.deriveSoon?.();
  }

  /** A row was changed in this turn; its entity's watcher stages what follows, in the same commit. */
  changed(change: RowChange): void {
    (this.#changes ??= []).push(change);
  }

  fired(event: FiredEvent): void {
    (this.#fired ??= []).push(event);
  }

  fed(change: FedChange): void {
    (this.#fed ??= []).push(change);
  }

  conditionFailed(trigger: string, fault: ConditionFault): void {
    this.activation.triggerWatch?.conditionFailed(trigger, fault);
  }

  /** Actor and request, for events: the node itself, unless the work is a call. */
  get who(): Who {
    return { actor: 'internal', request_id: '' };
  }

  /** An event of this work: its time, actor, subject and origin are filled in. */
  event(what: What): NewAuditEvent {
    return { ts: timestamp(this.now), ...this.who, ...what };
  }

  /** Commits what is staged and ends the turn; the newest journal number that this work read or wrote. */
  commit(): number {
    const changes = this.#changes;
    this.#changes = null;
    if (changes !== null) this.activation.rowWatch?.stage(this.turn(), changes);
    if (this.#fired !== null) this.#stageFired(this.#fired);
    if (this.#fed !== null) this.#stageFed(this.#fed);
    if (this.isBounded) this.tenant?.use?.admit(this.#rowsMore, this.#bytesMore);
    if (this.#turn?.dirty === true) this.beside?.(this.#turn);
    if (this.#events !== null || this.#always !== null) this.#recordBesideWrites();
    else if (this.#turn?.dirty === true) {
      this.#turn.commit();
      this.wrote = true;
    }
    const newest = this.#end(true);
    if (changes !== null) this.activation.rowWatch?.committed(newest);
    return newest;
  }

  #stageFired(fired: readonly FiredEvent[]): void {
    this.#fired = null;
    this.activation.triggerWatch?.stage(this.turn(), fired);
  }

  #stageFed(fed: readonly FedChange[]): void {
    this.#fed = null;
    this.activation.changeWatch?.stage(this.turn(), fed);
  }

  /** Drops what is staged and ends the turn; the newest journal number that this work read. */
  abort(): number {
    const seen = this.#drop();
    if (this.#always === null) return seen;
    this.#recordOrLose();
    return this.#end(true);
  }

  /** Events and writes of the work are committed or refused together; without writes a lost event does not fail the call. */
  #recordBesideWrites(): void {
    if (this.#turn?.dirty === true) this.#commitEvents();
    else this.#recordOrLose();
  }

  #recordOrLose(): void {
    const events = eventsOf(this.#events, this.#always);
    this.#events = null;
    this.#always = null;
    try {
      this.activation.outbox!.commit(this.turn(), events);
      this.wrote = true;
    } catch (error) {
      if (!(error instanceof StorageFull)) throw error;
      this.#turn?.abort();
      const actions = events.map(({ action }) => action);
      const facts = { tenant: this.activation.position.key, actions, error: error.message };
      this.activation.context.log.warn(
        facts,
        'audit events are lost: there is no room for them; the call itself goes on',
      );
    }
  }

  #drop(): number {
    this.#events = null;
    this.#changes = null;
    this.#fired = null;
    this.#fed = null;
    if (this.#turn?.dirty === true) this.#turn.abort();
    return this.#end(false);
  }

  #commitEvents(): void {
    this.activation.outbox!.commit(this.turn(), eventsOf(this.#events, this.#always));
    this.wrote = true;
    this.#events = null;
    this.#always = null;
  }

  /** The newest journal number seen so far. An answer that is kept for other callers keeps it too, since the reply rule binds their replies. */
  get seen(): number {
    return Math.max(this.#seen, this.#turn?.newest ?? 0);
  }

  /** Counts a read made outside the turn (a snapshot) for the reply rule. */
  saw(newest: number): void {
    if (newest > this.#seen) this.#seen = newest;
  }

  #end(kept: boolean): number {
    if (this.#turn !== null) {
      this.saw(this.#turn.newest);
      this.#turn = null;
      this.gathered = null;
    }
    if (kept && (this.#rowsMore !== 0 || this.#bytesMore !== 0))
      this.tenant?.use?.grew(this.#rowsMore, this.#bytesMore);
    this.#rowsMore = 0;
    this.#bytesMore = 0;
    if (this.#ends !== null) this.#tell(kept ? this.#seen : null, this.#ends);
    return this.#seen;
  }

  #tell(newest: number | null, ends: readonly TurnEnd[]): void {
    this.#ends = null;
    for (const then of ends) then(newest);
  }
}

/** In the order in which they happened. */
function eventsOf(kept: readonly Recorded[] | null, always: readonly Recorded[] | null): NewAuditEvent[] {
  return [...(kept ?? []), ...(always ?? [])].map((one) => (typeof one === 'function' ? one() : one));
}
