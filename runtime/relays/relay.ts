/**
 * Main's part of a durable outbox: a relay takes parcels out of outboxes, hands them to the thread that sends or stores them, and tells
 * each outbox what became of its parcels. It keeps nothing that has to survive a crash: a host that opens announces again what its outboxes
 * hold, and a new receiver gets everything that its predecessor had not answered for.
 *
 *   pending ─▶ take ─▶ held ─▶ hand over ─▶ answered ─▶ settle ─▶ forgotten
 *                        ▲                     └─ the outbox cannot be reached: the answer is kept and given again
 *                        └─ a new receiver: taken again
 */
import type { Log } from '#actors/host/activation.ts';
import { Seldom } from '#actors/kit/seldom.ts';
import { ChannelFault, type Channel } from '#actors/protocol/channel.ts';
import type { MailOutcome } from '#actors/protocol/mail.ts';
import type { Place, RelayKind } from './relay-kind.ts';

/** What a relay has on its way. */
export interface RelayFigures {
  /** Tenants whose outbox has parcels that the relay has not asked for yet. */
  readonly outboxesWaiting: number;
  /** Parcels that the receiver has, and has not answered for. */
  readonly held: number;
  /** Milliseconds since the oldest of them was handed over to the receiver that runs; 0 without any. */
  readonly oldestMs: number;
  /** Parcels by what became of them. */
  readonly settled: Readonly<Partial<Record<MailOutcome, number>>>;
}

export interface RelayPorts {
  /** The thread that has the outbox of a tenant; null when the tenant is gone, or its deletion is so far that none of its parcels may leave. */
  source(tenantNo: number): Channel | null;
  /** Whether parcels of a tenant may leave now; those of a suspended one wait in its outbox. Absent where all of them may. */
  mayLeave?(tenantNo: number): boolean;
  /** Called once for each parcel that its receiver has answered for. */
  answered?(answer: unknown): void;
  /**
   * How many parcels of a tenant its quotas let leave, beside those that are held: 0 keeps them in the outbox. Asked at each handover; absent
   * where no quota bounds the kind.
   */
  left?(tenantNo: number): number;
  /** Runs something after so many milliseconds. */
  after(ms: number, run: () => void): void;
  readonly log: Log;
  /** Milliseconds that only grow; those of the process unless given. */
  readonly now?: () => number;
}

/** Share of a receiver's places that are filled at once: an outbox that is asked reads past all of its parcels that are held. */
const ROOM_SHARE = 1 / 4;
/** Milliseconds after which less room is filled as well: all that is held may wait for a receiver that does not answer. */
const ROOM_MS = 100;

export class Relay<P, S> {
  readonly #ports: RelayPorts;
  readonly #kind: RelayKind<P, S>;
  readonly #now: () => number;
  readonly #pending = new Set<number>();
  /** Tenants whose outbox is being asked, or whose parcels are being handed over. */
  readonly #passing = new Set<number>();
  /** Tenants whose outbox has handed out all it had a moment ago. */
  readonly #gathering = new Set<number>();
  /** By tenant: the ids of parcels that were handed over and are not settled yet, with the answer where there is one. */
  readonly #held = new Map<number, Map<string, S | null>>();
  #heldCount = 0;
  /** When each held parcel was handed over, oldest first; with a new receiver it begins anew. */
  readonly #since = new Map<string, number>();
  readonly #settled: Partial<Record<MailOutcome, number>> = {};
  /** Tenants that wait for another try. */
  readonly #waiting = new Set<number>();
  /** Tenants that are gone and whose parcels the receiver has not confirmed to have dropped. */
  readonly #leaving = new Set<number>();
  #recallsAgain = false;
  #fillsSoon = false;
  #receiver: Channel | null = null;
  readonly #warned = new Seldom();
  #stopping = false;
  #quiet: (() => void)[] = [];

  constructor(kind: RelayKind<P, S>, ports: RelayPorts) {
    this.#kind = kind;
    this.#ports = ports;
    this.#now = ports.now ?? (() => performance.now());
  }

  figures(): RelayFigures {
    const [first] = this.#since.values();
    const oldestMs = first === undefined ? 0 : this.#now() - first;
    const outboxesWaiting = new Set([...this.#pending, ...this.#passing, ...this.#waiting]).size;
    return { outboxesWaiting, held: this.#heldCount, oldestMs, settled: { ...this.#settled } };
  }

  /** A thread with outboxes has started: listens to it. */
  attachSource(channel: Channel): void {
    this.#kind.hearPending(channel, ({ tenantNo }) => {
      this.pending(tenantNo);
      return null;
    });
  }

  /** A receiver has started: it gets the parcels that its predecessor had not answered for, and newer ones. */
  attachReceiver(channel: Channel, gone: Promise<unknown>): void {
    const { delivery } = this.#kind;
    if (delivery.answers === 'later')
      delivery.hear(channel, (answer) => {
        this.#answered(answer);
        return null;
      });
    this.#release();
    this.#receiver = channel;
    void gone.then(() => {
      if (this.#receiver !== channel) return;
      this.#receiver = null;
      this.#release();
    });
    this.#pass();
  }

  /** A tenant's outbox has parcels to take. Since it can be reached now, answers that did not reach it are given again. */
  pending(tenantNo: number): void {
    for (const answer of this.#held.get(tenantNo)?.values() ?? []) if (answer !== null) void this.#settle(answer);
    this.#pending.add(tenantNo);
    this.#pass();
  }

  /** The node stops: parcels that cannot be handed over wait in their outbox for the next start, and no warning is written. */
  stop(): void {
    this.#stopping = true;
  }

  /** Resolves when nothing is being handed over, or after `ms`. */
  quiet(ms: number): Promise<void> {
    if (this.#passing.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#quiet.push(resolve);
      this.#ports.after(ms, resolve);
    });
  }

  /** Tenants may be gone: has the receiver drop their parcels. A receiver that cannot do so now is asked again. */
  tenantsChanged(): void {
    this.recall().catch((error: unknown) => {
      this.#warn(
        { error: (error as Error).message },
        'the courier could not be told to drop parcels of deleted or moved tenants: it is told again, and deletions wait for that',
      );
      this.#recallAgain();
    });
  }

  #recallAgain(): void {
    if (this.#recallsAgain) return;
    this.#recallsAgain = true;
    this.#ports.after(this.#kind.retryMs, () => {
      this.#recallsAgain = false;
      this.tenantsChanged();
    });
  }

  /** Has the receiver drop the parcels of tenants that are gone or suspended; resolves when none of these can leave any more. */
  async recall(): Promise<void> {
    const { delivery } = this.#kind;
    if (delivery.answers === 'at once') return;
    for (const tenantNo of this.#held.keys()) if (this.#leavingOf(tenantNo) === null) this.#drop(tenantNo);
    const receiver = this.#receiver;
    const leaving = [...this.#leaving];
    if (receiver === null || leaving.length === 0) return;
    const forgotten = delivery.forget(receiver, leaving);
    this.#pass(); // parcels that are handed over from now on reach the receiver after the order to drop
    try {
      await forgotten;
    } catch (error) {
      if (receiver === this.#receiver && !isClosed(error)) throw error;
    }
    for (const tenantNo of leaving) this.#leaving.delete(tenantNo);
  }

  #drop(tenantNo: number): void {
    const ids = this.#held.get(tenantNo)!;
    this.#heldCount -= ids.size;
    for (const id of ids.keys()) this.#since.delete(sinceKey({ tenantNo, id }));
    this.#held.delete(tenantNo);
    this.#leaving.add(tenantNo);
  }

  /** The receiver is another one: parcels without an answer are taken from the outboxes again. */
  #release(): void {
    this.#leaving.clear();
    for (const [tenantNo, ids] of this.#held) {
      for (const [id, answer] of ids) if (answer === null) this.#forget({ tenantNo, id });
      this.#pending.add(tenantNo);
    }
  }

  /** Asks the outboxes of some tenants at once, each tenant's parcels in order, as long as the receiver has room; `fills`: however little. */
  #pass(fills = false): void {
    for (const tenantNo of this.#pending) {
      if (this.#receiver === null || !this.#hasRoom(fills)) break;
      if (this.#passing.size >= this.#kind.tenantsMax) break;
      if (this.#passing.has(tenantNo) || this.#gathering.has(tenantNo)) continue;
      this.#pending.delete(tenantNo);
      this.#passing.add(tenantNo);
      void this.#passTenant(tenantNo, this.#receiver);
    }
    if (this.#passing.size === 0) for (const resolve of this.#quiet.splice(0)) resolve();
  }

  #hasRoom(fills: boolean): boolean {
    const { heldMax } = this.#kind;
    const room = heldMax - this.#heldCount;
    if (room <= 0) return false;
    if (fills || room >= heldMax * ROOM_SHARE) return true;
    if (!this.#fillsSoon) {
      this.#fillsSoon = true;
      this.#ports.after(ROOM_MS, () => {
        this.#fillsSoon = false;
        this.#pass(true);
      });
    }
    return false;
  }

  async #passTenant(tenantNo: number, receiver: Channel): Promise<void> {
    try {
      await this.#passSome(tenantNo, receiver);
    } catch (error) {
      // The source or the receiver is gone, or refuses: the parcels wait in their outbox.
      this.#again(tenantNo);
      this.#warn(
        { tenant_no: tenantNo, error: (error as Error).message },
        'parcels of a tenant could not be taken or handed over: they wait in its outbox, and it is tried again',
      );
    }
    this.#passing.delete(tenantNo);
    this.#pass();
  }

  async #passSome(tenantNo: number, receiver: Channel): Promise<void> {
    const source = this.#leavingOf(tenantNo);
    if (source === null) return;
    const except = [...(this.#held.get(tenantNo)?.keys() ?? [])];
    const limit = Math.min(this.#kind.heldMax - this.#heldCount, this.#roomOf(tenantNo));
    if (limit <= 0) return this.#again(tenantNo);
    const { parcels, more } = await this.#kind.take(source, { tenantNo, except, limit });
    if (this.#leavingOf(tenantNo) === null) return; // it was deleted or suspended meanwhile
    if (more || receiver !== this.#receiver) this.#pending.add(tenantNo);
    else this.#gather(tenantNo);
    if (receiver === this.#receiver && parcels.length > 0) await this.#hand(receiver, parcels);
  }

  #gather(tenantNo: number): void {
    const { gatherMs } = this.#kind;
    if (gatherMs === undefined) return;
    this.#gathering.add(tenantNo);
    this.#ports.after(gatherMs, () => {
      this.#gathering.delete(tenantNo);
      this.#pass();
    });
  }

  /** How many more parcels the tenant's quotas let leave: what is held may still be taken by its receiver, so it counts. */
  #roomOf(tenantNo: number): number {
    const left = this.#ports.left?.(tenantNo) ?? Infinity;
    return left === Infinity ? left : left - (this.#held.get(tenantNo)?.size ?? 0);
  }

  /** The outbox of a tenant, if its parcels may leave. */
  #leavingOf(tenantNo: number): Channel | null {
    return this.#ports.mayLeave?.(tenantNo) === false ? null : this.#ports.source(tenantNo);
  }

  async #hand(receiver: Channel, parcels: readonly P[]): Promise<void> {
    const { delivery } = this.#kind;
    if (delivery.answers === 'at once') {
      for (const parcel of parcels) await this.#tellSource(await delivery.hand(receiver, parcel));
      return;
    }
    const places = parcels.map((parcel) => this.#kind.placeOf(parcel));
    for (const place of places) this.#hold(place);
    try {
      await delivery.hand(receiver, parcels);
    } catch (error) {
      if (receiver === this.#receiver) this.#takeBack(places);
      throw error;
    }
  }

  /** The receiver may not have them, so they are handed over again; one that it has after all counts once there. */
  #takeBack(places: readonly Place[]): void {
    for (const place of places) if (this.#held.get(place.tenantNo)?.get(place.id) === null) this.#forget(place);
  }

  #answered(answer: S): void {
    const { tenantNo, id } = this.#kind.placeOf(answer);
    const ids = this.#held.get(tenantNo);
    if (ids?.has(id) === true) {
      if (ids.get(id) === null) this.#count(answer);
      ids.set(id, answer);
    }
    void this.#settle(answer);
  }

  /** An answer that is given again counts once. */
  #count(answer: S): void {
    this.#ports.answered?.(answer);
    const outcome = this.#kind.outcomeOf?.(answer);
    if (outcome !== undefined) this.#settled[outcome] = (this.#settled[outcome] ?? 0) + 1;
  }

  async #settle(answer: S): Promise<void> {
    const place = this.#kind.placeOf(answer);
    try {
      await this.#tellSource(answer);
      this.#forget(place);
      this.#pass();
    } catch (error) {
      this.#again(place.tenantNo);
      this.#warn(
        { tenant_no: place.tenantNo, id: place.id, error: (error as Error).message },
        'an outbox could not be told what became of its parcels: it is told again',
      );
    }
  }

  async #tellSource(answer: S): Promise<void> {
    const source = this.#ports.source(this.#kind.placeOf(answer).tenantNo);
    if (source !== null) await this.#kind.settle(source, answer);
  }

  #again(tenantNo: number): void {
    if (this.#waiting.has(tenantNo)) return;
    this.#waiting.add(tenantNo);
    this.#ports.after(this.#kind.retryMs, () => {
      this.#waiting.delete(tenantNo);
      this.pending(tenantNo);
    });
  }

  #hold({ tenantNo, id }: Place): void {
    const ids = this.#held.get(tenantNo) ?? new Map<string, S | null>();
    this.#held.set(tenantNo, ids.set(id, null));
    this.#heldCount++;
    this.#since.set(sinceKey({ tenantNo, id }), this.#now());
  }

  #forget({ tenantNo, id }: Place): void {
    const ids = this.#held.get(tenantNo);
    if (ids?.delete(id) !== true) return;
    this.#heldCount--;
    this.#since.delete(sinceKey({ tenantNo, id }));
    if (ids.size === 0) this.#held.delete(tenantNo);
  }

  /** A receiver that refuses is asked again many times a second: a line a minute of each kind says so. */
  #warn(facts: object, text: string): void {
    const since = this.#stopping ? null : this.#warned.leftOut(text, this.#now());
    if (since === null) return;
    this.#ports.log.warn({ outbox: this.#kind.name, ...facts, ...(since > 0 && { since }) }, text);
  }
}

const sinceKey = ({ tenantNo, id }: Place): string => `${tenantNo} ${id}`;

/** Whether a thread is gone, and with it everything that it held. */
function isClosed(error: unknown): boolean {
  return error instanceof ChannelFault && error.why === 'closed';
}
