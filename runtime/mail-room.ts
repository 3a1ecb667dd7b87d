/**
 * Main's part of the mail: it knows which tenants have mail in their outboxes and what the courier holds, and nothing of either
 * survives it: hosts tell again what a crash left, and a new courier is handed everything that its predecessor had not answered for.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import type { MailTaken, MailWish, Settled } from '#actors/protocol/mail.ts';

export interface MailRoomPorts {
  /** Asks the outbox of a tenant. */
  ask(tenantNo: number, verb: 'mail.take' | 'mail.settle', body: MailWish | Settled): Promise<unknown>;
  /** Runs something after so many milliseconds. */
  after(ms: number, run: () => void): void;
  readonly log: Log;
}

export class MailRoom {
  readonly #ports: MailRoomPorts;
  readonly #pending = new Set<number>();
  /** By tenant: ids that were handed out and are not deleted yet, with the answer where there is one. */
  readonly #held = new Map<number, Map<string, Settled | null>>();
  #heldCount = 0;
  #courier: Channel | null = null;
  #passing = false;

  constructor(ports: MailRoomPorts) {
    this.#ports = ports;
  }

  /** A host runs: it tells of its tenants' mail. */
  attachHost(channel: Channel): void {
    channel.answer('mail.pending', ({ tenantNo }) => {
      this.pending(tenantNo);
      return null;
    });
  }

  /** A courier runs: it gets what the one before it had not answered for, and what has come since. */
  attachCourier(channel: Channel, gone: Promise<unknown>): void {
    channel.answer('courier.settled', (settled) => {
      this.#settled(settled);
      return null;
    });
    this.#release();
    this.#courier = channel;
    void gone.then(() => {
      if (this.#courier !== channel) return;
      this.#courier = null;
      this.#release();
    });
    this.#pass();
  }

  /** A tenant's outbox holds mail; answers that did not reach it are given again. */
  pending(tenantNo: number): void {
    for (const settled of this.#held.get(tenantNo)?.values() ?? []) if (settled !== null) void this.#settle(settled);
    this.#pending.add(tenantNo);
    this.#pass();
  }

  /** What the courier has not answered for is anybody's again. */
  #release(): void {
    for (const [tenantNo, ids] of this.#held) {
      for (const [id, settled] of ids) if (settled === null) this.#forget(tenantNo, id);
      this.#pending.add(tenantNo);
    }
  }

  /** One tenant after the other, as long as the courier has room. */
  #pass(): void {
    if (this.#passing) return;
    this.#passing = true;
    void this.#passAll();
  }

  async #passAll(): Promise<void> {
    for (;;) {
      const [tenantNo] = this.#pending;
      if (tenantNo === undefined || this.#courier === null || this.#heldCount >= limits.mail.queueDepthMax) {
        // In the step that looked: who tells from now on finds nobody at work and begins anew.
        this.#passing = false;
        return;
      }
      this.#pending.delete(tenantNo);
      try {
        await this.#passTenant(tenantNo, this.#courier);
      } catch (error) {
        // The host or the courier is gone, or on its way.
        this.#ports.after(limits.mail.retryMs, () => this.pending(tenantNo));
        this.#ports.log.warn({ tenant_no: tenantNo, error: (error as Error).message }, 'mail could not be passed on');
      }
    }
  }

  async #passTenant(tenantNo: number, courier: Channel): Promise<void> {
    const except = [...(this.#held.get(tenantNo)?.keys() ?? [])];
    const limit = limits.mail.queueDepthMax - this.#heldCount;
    const { mails, more } = (await this.#ports.ask(tenantNo, 'mail.take', { except, limit })) as MailTaken;
    if (more || courier !== this.#courier) this.#pending.add(tenantNo);
    if (courier !== this.#courier || mails.length === 0) return;
    for (const { id } of mails) this.#hold(tenantNo, id);
    await courier.ask('courier.send', mails);
  }

  #settled(settled: Settled): void {
    const ids = this.#held.get(settled.tenantNo);
    if (ids?.has(settled.id) === true) ids.set(settled.id, settled);
    void this.#settle(settled);
  }

  async #settle(settled: Settled): Promise<void> {
    const { tenantNo, id } = settled;
    try {
      await this.#ports.ask(tenantNo, 'mail.settle', settled);
      this.#forget(tenantNo, id);
      this.#pass();
    } catch (error) {
      this.#ports.log.warn({ mail: id, error: (error as Error).message }, 'the answer for a mail waits for its host');
    }
  }

  #hold(tenantNo: number, id: string): void {
    const ids = this.#held.get(tenantNo) ?? new Map<string, Settled | null>();
    this.#held.set(tenantNo, ids.set(id, null));
    this.#heldCount++;
  }

  #forget(tenantNo: number, id: string): void {
    const ids = this.#held.get(tenantNo);
    if (ids?.delete(id) !== true) return;
    this.#heldCount--;
    if (ids.size === 0) this.#held.delete(tenantNo);
  }
}
