/**
 * Events on their way to the audit log. They are numbered per log, so that a gap is visible; spooled, so that a crash loses none of those that
 * wait; and retried for seven seconds, then dropped and counted (docs/contract/vault.md §7.2: best effort, non-blocking, about 7 s).
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import type { AuditEvent } from '#actors/protocol/audit.ts';
import { AuditUnavailable, logIdOf, type Events, type Place, type VaultEvent } from './events.ts';

/** The receiver of events. */
export interface EventSink {
  /** Makes events durable in a log; gives the last number that the log has from their source. Rejects when it could not. */
  append(logId: string, events: readonly AuditEvent[]): Promise<number>;
}

export interface SpooledEvent {
  readonly logId: string;
  readonly event: AuditEvent;
}

/** Waiting events, on the disk. */
export interface Spool {
  /** Events that the last process left, oldest first. */
  readonly left: readonly SpooledEvent[];
  /** The last number of each log. */
  readonly numbers: ReadonlyMap<string, number>;
  /** False when the spool is full. */
  append(one: SpooledEvent): boolean;
  /** Deletes the spool: no event waits any more. */
  settled(numbers: ReadonlyMap<string, number>): void;
}

export interface EmitterPorts {
  readonly sink: EventSink;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly log: Log;
  readonly place: Place;
  readonly source: string;
  readonly required: boolean;
  after(ms: number, run: () => void): void;
}

interface Waiting {
  event: AuditEvent;
  readonly since: number;
  readonly settle: ((error: Error | null) => void) | null;
}

interface Lane {
  readonly waiting: Waiting[];
  busy: boolean;
}

export class Emitter implements Events {
  readonly #ports: EmitterPorts;
  readonly #lanes = new Map<string, Lane>();
  readonly #numbers: Map<string, number>;
  #pending = 0;
  #dropped = 0;

  constructor(ports: EmitterPorts) {
    this.#ports = ports;
    this.#numbers = new Map(ports.spool.numbers);
    for (const { logId, event } of ports.spool.left)
      this.#add(logId, { event, since: ports.clock.now(), settle: null });
  }

  get pending(): number {
    return this.#pending;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get required(): boolean {
    return this.#ports.required;
  }

  /** A dropped event uses up its number, too: the gap shows in the log that an event is missing. */
  emit(reported: VaultEvent): Promise<void> | null {
    const { clock, place, required, source, spool } = this.#ports;
    const logId = logIdOf(place, reported);
    const source_seq = this.#next(logId);
    const { tenant: _tenant, ofStore: _ofStore, data = {}, ...rest } = reported;
    const event: AuditEvent = { ts: timestamp(clock.now()), source, source_seq, data, ...rest };
    const hasRoom = this.#pending < limits.vault.eventsMax && spool.append({ logId, event });
    if (!hasRoom) this.#drop(1, 'too many events wait');
    if (!required) {
      if (hasRoom) this.#add(logId, { event, since: clock.now(), settle: null });
      return null;
    }
    if (!hasRoom) return Promise.reject(new AuditUnavailable('too many events wait'));
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null): void => (error === null ? resolve() : reject(error));
      this.#add(logId, { event, since: clock.now(), settle });
    });
  }

  #next(logId: string): number {
    const number = (this.#numbers.get(logId) ?? 0) + 1;
    this.#numbers.set(logId, number);
    return number;
  }

  #add(logId: string, waiting: Waiting): void {
    const lane = this.#lanes.get(logId) ?? { waiting: [], busy: false };
    this.#lanes.set(logId, lane);
    lane.waiting.push(waiting);
    this.#pending++;
    if (lane.busy) return;
    lane.busy = true;
    queueMicrotask(() => void this.#pass(logId, lane));
  }

  /** One log's events in order, a batch at a time. */
  async #pass(logId: string, lane: Lane): Promise<void> {
    let pause: number = limits.vault.eventRetryMs;
    while (lane.waiting.length > 0) {
      const batch = lane.waiting.slice(0, limits.vault.eventBatchMax);
      const taken = await this.#send(logId, batch);
      if (taken) {
        pause = limits.vault.eventRetryMs;
        this.#settle(lane, batch.length, null);
        continue;
      }
      this.#expire(logId, lane);
      const wait = pause;
      pause = Math.min(2 * pause, limits.vault.eventBudgetMs);
      if (lane.waiting.length > 0) await new Promise<void>((resolve) => this.#ports.after(wait, resolve));
      this.#expire(logId, lane);
    }
    lane.busy = false;
    this.#lanes.delete(logId);
    if (this.#pending === 0) this.#ports.spool.settled(this.#numbers);
  }

  /** When the log has a higher number than this vault, the vault's state was lost: its events are numbered behind that number. */
  async #send(logId: string, batch: readonly Waiting[]): Promise<boolean> {
    try {
      const events = batch.map(({ event }) => event);
      const last = await this.#ports.sink.append(logId, events);
      if (last <= events.at(-1)!.source_seq) return true;
      if (last <= this.#numbers.get(logId)!) return true; // this vault's own events, sent before the last crash
      this.#numbers.set(logId, last);
      for (const one of this.#lanes.get(logId)!.waiting) one.event = { ...one.event, source_seq: this.#next(logId) };
      return false;
    } catch (error) {
      this.#ports.log.warn(
        { log: logId, error: (error as Error).message },
        'the audit log cannot be reached: events of the vault wait and are sent again',
      );
      return false;
    }
  }

  #expire(logId: string, lane: Lane): void {
    const before = this.#ports.clock.now() - limits.vault.eventBudgetMs;
    const at = lane.waiting.findIndex(({ since }) => since > before);
    const count = at < 0 ? lane.waiting.length : at;
    if (count === 0) return;
    this.#drop(count, `${logId} accepted no event for ${limits.vault.eventBudgetMs} ms`);
    this.#settle(lane, count, new AuditUnavailable('the audit log does not answer'));
  }

  #settle(lane: Lane, count: number, error: Error | null): void {
    this.#pending -= count;
    for (const { settle } of lane.waiting.splice(0, count)) settle?.(error);
  }

  #drop(count: number, why: string): void {
    this.#dropped += count;
    this.#ports.log.error(
      { count, dropped: this.#dropped, why },
      'events of the vault were dropped: the audit log will show a gap in their numbers; see to the audit service',
    );
  }
}
