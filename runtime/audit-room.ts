/**
 * Main's part of the audit log: it takes events out of the tenants' outboxes, hands them to the sealer, and tells the outbox what
 * is durable in its log. It keeps nothing: hosts tell again what a crash left, and the log knows a repetition by its number.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { AuditBatch, AuditTaken, Settled } from '#actors/protocol/audit.ts';
import type { Channel } from '#actors/protocol/channel.ts';

export interface AuditRoomPorts {
  /** Asks the host of a tenant. */
  ask(tenantNo: number, verb: 'audit.take' | 'audit.settle', body: Settled | null): Promise<unknown>;
  after(ms: number, run: () => void): void;
  readonly log: Log;
}

export class AuditRoom {
  readonly #ports: AuditRoomPorts;
  readonly #pending = new Set<number>();
  readonly #passing = new Set<number>();
  #sealer: Channel | null = null;
  #stopping = false;

  constructor(ports: AuditRoomPorts) {
    this.#ports = ports;
  }

  attachHost(channel: Channel): void {
    channel.answer('audit.pending', ({ tenantNo }) => {
      this.pending(tenantNo);
      return null;
    });
  }

  attachSealer(channel: Channel, gone: Promise<unknown>): void {
    this.#sealer = channel;
    void gone.then(() => {
      if (this.#sealer === channel) this.#sealer = null;
    });
    this.#pass();
  }

  /** The node stops: its journals close, and what waits is handed over by the next start. That is no news. */
  stop(): void {
    this.#stopping = true;
  }

  /** A tenant's outbox holds events. */
  pending(tenantNo: number): void {
    this.#pending.add(tenantNo);
    this.#pass();
  }

  /** Some tenants at once, and each of them in order. */
  #pass(): void {
    for (const tenantNo of this.#pending) {
      if (this.#sealer === null || this.#passing.size >= limits.audit.tenantsPassingMax) return;
      if (this.#passing.has(tenantNo)) continue;
      this.#pending.delete(tenantNo);
      this.#passing.add(tenantNo);
      void this.#passTenant(tenantNo, this.#sealer);
    }
  }

  async #passTenant(tenantNo: number, sealer: Channel): Promise<void> {
    try {
      for (let more = true; more;) more = await this.#passBatch(tenantNo, sealer);
    } catch (error) {
      // The host or the sealer is gone, or the log refuses: the events wait where they are.
      const fields = { tenant_no: tenantNo, error: (error as Error).message };
      if (!this.#stopping) this.#ports.log.warn(fields, 'events wait for the audit log');
      this.#ports.after(limits.audit.retryMs, () => this.pending(tenantNo));
    }
    this.#passing.delete(tenantNo);
    this.#pass();
  }

  async #passBatch(tenantNo: number, sealer: Channel): Promise<boolean> {
    const { batch, upTo, more } = (await this.#ports.ask(tenantNo, 'audit.take', null)) as AuditTaken;
    if (batch.records.length === 0) return false;
    await sealer.ask('audit.append', batch satisfies AuditBatch);
    await this.#ports.ask(tenantNo, 'audit.settle', { upTo });
    return more;
  }
}
