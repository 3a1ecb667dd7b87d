/**
 * Sends mail out of durable outboxes, a few at a time. Pure: the transport, time and the answers are passed in.
 *   waiting ─▶ sending ─▶ sent
 *      ▲          ├─ temporary failure: waits longer each time, up to its last attempt (given_up) or its end (expired)
 *      └──────────┘
 *                 └─ refused by the receiver for good
 * A parcel that is forgotten leaves each of these states at once, and without an answer.
 */
import { limits } from '#config/limits.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { MailOutcome } from '#actors/protocol/mail.ts';
import type { Log } from '#actors/host/activation.ts';

/** How many at once, how often, how long. */
export interface CourierRules {
  readonly queueDepthMax: number;
  readonly sendingMax: number;
  readonly attemptsMax: number;
  readonly backoffMs: number;
  readonly backoffMsMax: number;
}

/** What a courier needs to know of a parcel, which is a mail, a notice or a webhook. */
export interface Parcel {
  /** For the log. */
  readonly id: string;
  /** After this time it is not sent any more; absent: it never expires. */
  readonly expiresAtMs?: number;
}

export interface FailedAttempt {
  /** From 1. */
  readonly attempt: number;
  /** Whether the failure is final. */
  readonly final: boolean;
  readonly error: Error;
}

export interface CourierPorts<M extends Parcel> {
  /** `limits.mail` unless given. */
  readonly rules?: CourierRules;
  /** The name of a parcel, unique among all that the courier holds. */
  keyOf(parcel: M): string;
  readonly clock: Clock;
  readonly log: Log;
  /** Sends one to its receiver; rejects when the receiver did not accept it. An aborted signal means that it must not arrive any more. */
  send(parcel: M, forgotten: AbortSignal): Promise<void>;
  /** Logs a failed attempt. */
  failed(parcel: M, attempt: FailedAttempt): void;
  /** Whether a failure is final. */
  isFinal(error: unknown): boolean;
  /** Reports the result of a parcel: exactly once for each accepted one, unless the courier stops or the parcel is forgotten first. */
  settle(parcel: M, outcome: MailOutcome): void;
  /** Runs a function after so many milliseconds; gives the function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

interface Held<M> {
  readonly mail: M;
  attempts: number;
  /** Cancels the wait for the next attempt; null while the parcel is queued or being sent. */
  calledOff: (() => void) | null;
  /** Aborts the attempt in progress when the parcel is forgotten. */
  readonly forgotten: AbortController;
}

export class Courier<M extends Parcel> {
  readonly #ports: CourierPorts<M>;
  readonly #rules: CourierRules;
  readonly #held = new Map<string, Held<M>>();
  #ready: Held<M>[] = [];
  #sending = 0;
  #stopping = false;
  #quiet: () => void = () => undefined;
  #idle: (() => void)[] = [];
  /** Parcels that found the queue full. */
  dropped = 0;

  constructor(ports: CourierPorts<M>) {
    this.#ports = ports;
    this.#rules = ports.rules ?? limits.mail;
  }

  /** Parcels without a result yet. */
  get depth(): number {
    return this.#held.size;
  }

  /** Accepts a parcel; one that it holds already counts once. A full queue drops it, counts it, and reports that. */
  offer(mail: M): void {
    const key = this.#ports.keyOf(mail);
    if (this.#stopping || this.#held.has(key)) return;
    if (this.#held.size >= this.#rules.queueDepthMax) {
      this.dropped++;
      this.#ports.log.warn(
        { dropped: this.dropped },
        'the queue of the courier is full: the newest parcel was dropped; its outbox keeps it as dropped',
      );
      this.#ports.settle(mail, 'dropped');
      return;
    }
    const held: Held<M> = { mail, attempts: 0, calledOff: null, forgotten: new AbortController() };
    this.#held.set(key, held);
    this.#ready.push(held);
    this.#next();
  }

  /** Forgets parcels that must not arrive any more: aborts their attempts, cancels their waits, and reports no result for them. */
  forget(isOf: (parcel: M) => boolean): void {
    for (const [key, held] of this.#held) {
      if (!isOf(held.mail)) continue;
      this.#held.delete(key);
      held.calledOff?.();
      held.forgotten.abort();
    }
    this.#ready = this.#ready.filter(({ forgotten }) => !forgotten.signal.aborted);
  }

  /** Starts nothing more; resolves when no attempt is in progress. Waiting parcels stay in their outboxes for the next start. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#ready.length = 0;
    for (const held of this.#held.values()) held.calledOff?.();
    if (this.#sending > 0) await new Promise<void>((resolve) => (this.#quiet = resolve));
  }

  /** Resolves when no parcel is ready or being sent; parcels that wait for another attempt are left to the next start. */
  async settled(): Promise<void> {
    while (this.#ready.length > 0 || this.#sending > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #next(): void {
    while (!this.#stopping && this.#sending < this.#rules.sendingMax) {
      const held = this.#ready.shift();
      if (held === undefined) return;
      if (this.#ports.clock.now() >= (held.mail.expiresAtMs ?? Infinity)) this.#settle(held, 'expired');
      else void this.#send(held);
    }
  }

  async #send(held: Held<M>): Promise<void> {
    this.#sending++;
    held.attempts++;
    try {
      await this.#ports.send(held.mail, held.forgotten.signal);
      this.#settle(held, 'sent');
    } catch (error) {
      this.#failed(held, error);
    }
    this.#sending--;
    if (this.#stopping && this.#sending === 0) this.#quiet();
    else this.#next();
    for (const run of this.#idle.splice(0)) run();
  }

  #failed(held: Held<M>, error: unknown): void {
    const { mail, attempts, forgotten } = held;
    if (forgotten.signal.aborted) return;
    const final = this.#ports.isFinal(error);
    this.#ports.failed(mail, { attempt: attempts, final, error: error as Error });
    if (final) this.#settle(held, 'refused');
    else if (attempts >= this.#rules.attemptsMax) this.#settle(held, 'given_up');
    else if (!this.#stopping) this.#later(held);
  }

  #later(held: Held<M>): void {
    held.calledOff = this.#ports.after(backoffMs(held.attempts, this.#rules), () => {
      held.calledOff = null;
      this.#ready.push(held);
      this.#next();
    });
  }

  #settle({ mail, forgotten }: Held<M>, outcome: MailOutcome): void {
    if (forgotten.signal.aborted) return;
    this.#held.delete(this.#ports.keyOf(mail));
    this.#ports.settle(mail, outcome);
  }
}

/** The wait after so many attempts: it doubles up to its cap. */
export function backoffMs(attempts: number, rules: CourierRules = limits.mail): number {
  return Math.min(rules.backoffMs * 2 ** (attempts - 1), rules.backoffMsMax);
}
