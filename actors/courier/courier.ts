/**
 * Sends mail out of durable outboxes, a few at a time. Pure: the wire, time and the answers are passed in.
 *   waiting ─▶ sending ─▶ sent
 *      ▲          ├─ temporary failure: waits longer each time, up to its last attempt (given_up) or its end (expired)
 *      └──────────┘
 *                 └─ refused by the receiver for good
 */
import { limits } from '#config/limits.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Mail, MailOutcome, Settled } from '#actors/protocol/mail.ts';
import type { Log } from '#actors/host/activation.ts';

export interface CourierPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** Hands one mail to the mail server; rejects when it was not taken. */
  send(mail: Mail): Promise<void>;
  /** Whether a failure is the receiver's final word. */
  isFinal(error: unknown): boolean;
  /** The answer for one mail: exactly one for each that was offered, unless the courier stops first. */
  settle(answer: Settled): void;
  /** Runs something after so many milliseconds; gives the function that calls it off. */
  after(ms: number, run: () => void): () => void;
}

interface Held {
  readonly mail: Mail;
  attempts: number;
  /** Calls the wait for the next attempt off; null while it waits for its turn or is on the wire. */
  calledOff: (() => void) | null;
}

export class Courier {
  readonly #ports: CourierPorts;
  readonly #held = new Map<string, Held>();
  readonly #ready: Held[] = [];
  #sending = 0;
  #stopping = false;
  #quiet: () => void = () => undefined;
  /** Mails that found the queue full. */
  dropped = 0;

  constructor(ports: CourierPorts) {
    this.#ports = ports;
  }

  /** Mails that are not answered for. */
  get depth(): number {
    return this.#held.size;
  }

  /** Takes a mail in; one that it holds already counts once. A full queue drops it, counts it, and answers so. */
  offer(mail: Mail): void {
    const key = keyOf(mail);
    if (this.#stopping || this.#held.has(key)) return;
    if (this.#held.size >= limits.mail.queueDepthMax) {
      this.dropped++;
      this.#ports.log.warn({ dropped: this.dropped }, 'the queue of the courier is full: mail dropped');
      this.#ports.settle({ tenantNo: mail.tenantNo, id: mail.id, outcome: 'dropped' });
      return;
    }
    const held: Held = { mail, attempts: 0, calledOff: null };
    this.#held.set(key, held);
    this.#ready.push(held);
    this.#next();
  }

  /** Begins nothing any more; resolves when nothing is on the wire. What waits stays in its outbox for the next start. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#ready.length = 0;
    for (const held of this.#held.values()) held.calledOff?.();
    if (this.#sending > 0) await new Promise<void>((resolve) => (this.#quiet = resolve));
  }

  #next(): void {
    while (!this.#stopping && this.#sending < limits.mail.sendingMax) {
      const held = this.#ready.shift();
      if (held === undefined) return;
      if (this.#ports.clock.now() >= held.mail.expiresAtMs) this.#settle(held, 'expired');
      else void this.#send(held);
    }
  }

  async #send(held: Held): Promise<void> {
    this.#sending++;
    held.attempts++;
    try {
      await this.#ports.send(held.mail);
      this.#settle(held, 'sent');
    } catch (error) {
      this.#failed(held, error);
    }
    this.#sending--;
    if (this.#stopping && this.#sending === 0) this.#quiet();
    else this.#next();
  }

  #failed(held: Held, error: unknown): void {
    const { mail, attempts } = held;
    const final = this.#ports.isFinal(error);
    this.#ports.log.warn({ mail: mail.id, attempts, final, error: (error as Error).message }, 'mail not taken');
    if (final) this.#settle(held, 'refused');
    else if (attempts >= limits.mail.attemptsMax) this.#settle(held, 'given_up');
    else if (!this.#stopping) this.#later(held);
  }

  #later(held: Held): void {
    held.calledOff = this.#ports.after(backoffMs(held.attempts), () => {
      held.calledOff = null;
      this.#ready.push(held);
      this.#next();
    });
  }

  #settle({ mail }: Held, outcome: MailOutcome): void {
    this.#held.delete(keyOf(mail));
    this.#ports.settle({ tenantNo: mail.tenantNo, id: mail.id, outcome });
  }
}

/** The wait after so many attempts: it doubles up to its cap. */
export function backoffMs(attempts: number): number {
  return Math.min(limits.mail.backoffMs * 2 ** (attempts - 1), limits.mail.backoffMsMax);
}

/** Ids are one tenant's own. */
function keyOf({ tenantNo, id }: Mail): string {
  return `${tenantNo} ${id}`;
}
