/**
 * Main's part of what leaves out of tenants' outboxes, mail and webhooks: it knows which tenants have mail in their outboxes and what the courier holds, and nothing of either
 * survives it: hosts tell again what a crash left, and a new courier is handed everything that its predecessor had not answered for.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { ChannelFault } from '#actors/protocol/channel.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import type { Mail, MailTaken, MailWish, Settled } from '#actors/protocol/mail.ts';
import type { DeliveriesTaken, Delivery, DeliverySettled } from '#actors/protocol/webhook.ts';

interface Answer {
  readonly tenantNo: number;
  readonly id: string;
}

/** What distinguishes one kind of post from another. */
export interface PostKind<P extends { readonly id: string }, S extends Answer> {
  readonly pending: 'mail.pending' | 'hook.pending';
  readonly take: string;
  readonly settle: string;
  /** Parcels of what an outbox gave. */
  taken(answer: unknown): { readonly parcels: readonly P[]; readonly more: boolean };
  send(courier: Channel, parcels: readonly P[]): Promise<unknown>;
  /** Hears the courier's answers. */
  hear(courier: Channel, settled: (answer: S) => null): void;
  readonly queueDepthMax: number;
  readonly retryMs: number;
}

export const MAIL: PostKind<Mail, Settled> = {
  pending: 'mail.pending',
  take: 'mail.take',
  settle: 'mail.settle',
  taken: (answer) => ({ parcels: (answer as MailTaken).mails, more: (answer as MailTaken).more }),
  send: (courier, mails) => courier.ask('courier.send', mails),
  hear: (courier, settled) => courier.answer('courier.settled', settled),
  queueDepthMax: limits.mail.queueDepthMax,
  retryMs: limits.mail.retryMs,
};

export const WEBHOOKS: PostKind<Delivery, DeliverySettled> = {
  pending: 'hook.pending',
  take: 'hook.take',
  settle: 'hook.settle',
  taken: (answer) => ({ parcels: (answer as DeliveriesTaken).deliveries, more: (answer as DeliveriesTaken).more }),
  send: (courier, deliveries) => courier.ask('courier.deliver', deliveries),
  hear: (courier, settled) => courier.answer('courier.delivered', settled),
  queueDepthMax: limits.content.webhookQueueDepth,
  retryMs: limits.content.webhookRetryMs,
};

export interface MailRoomPorts {
  /** Whether there is such a tenant, and no deletion of it has begun. Nothing of another one is passed on. */
  isThere(tenantNo: number): boolean;
  /** Asks the outbox of a tenant that is there. */
  ask(tenantNo: number, verb: string, body: MailWish | Answer): Promise<unknown>;
  /** Runs something after so many milliseconds. */
  after(ms: number, run: () => void): void;
  readonly log: Log;
}

export class MailRoom<P extends { readonly id: string }, S extends Answer> {
  readonly #ports: MailRoomPorts;
  readonly #kind: PostKind<P, S>;
  readonly #pending = new Set<number>();
  /** By tenant: ids that were handed out and are not deleted yet, with the answer where there is one. */
  readonly #held = new Map<number, Map<string, S | null>>();
  #heldCount = 0;
  /** Tenants that are gone, and of which the courier has not said that it holds nothing any more. */
  readonly #leaving = new Set<number>();
  #tellsAgain = false;
  #courier: Channel | null = null;
  #passing = false;

  constructor(kind: PostKind<P, S>, ports: MailRoomPorts) {
    this.#kind = kind;
    this.#ports = ports;
  }

  /** A host runs: it tells of its tenants' mail. */
  attachHost(channel: Channel): void {
    channel.answer(this.#kind.pending, ({ tenantNo }) => {
      this.pending(tenantNo);
      return null;
    });
  }

  /** A courier runs: it gets what the one before it had not answered for, and what has come since. */
  attachCourier(channel: Channel, gone: Promise<unknown>): void {
    this.#kind.hear(channel, (settled) => {
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

  /** The directory has changed: tenants may be gone. A courier that does not hear of it is told again. */
  tenantsChanged(): void {
    this.recall().catch((error: unknown) => {
      const facts = { outbox: this.#kind.take, error: (error as Error).message };
      this.#ports.log.warn(facts, 'the courier was not told of tenants that are gone: it is told again');
      this.#tellAgain();
    });
  }

  #tellAgain(): void {
    if (this.#tellsAgain) return;
    this.#tellsAgain = true;
    this.#ports.after(this.#kind.retryMs, () => {
      this.#tellsAgain = false;
      this.tenantsChanged();
    });
  }

  /** Takes back what the courier holds of tenants that are gone; resolves when nothing of theirs can leave any more. */
  async recall(): Promise<void> {
    for (const tenantNo of this.#held.keys()) if (!this.#ports.isThere(tenantNo)) this.#drop(tenantNo);
    const courier = this.#courier;
    const leaving = [...this.#leaving];
    if (courier === null || leaving.length === 0) return;
    const forgotten = courier.ask('courier.forget', leaving);
    this.#pass(); // what the courier gets from now on it gets after it has let go
    try {
      await forgotten;
    } catch (error) {
      if (courier === this.#courier && !isClosed(error)) throw error;
    }
    for (const tenantNo of leaving) this.#leaving.delete(tenantNo);
  }

  #drop(tenantNo: number): void {
    this.#heldCount -= this.#held.get(tenantNo)!.size;
    this.#held.delete(tenantNo);
    this.#leaving.add(tenantNo);
  }

  /** What the courier has not answered for is anybody's again. */
  #release(): void {
    this.#leaving.clear();
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
      if (tenantNo === undefined || this.#courier === null || this.#heldCount >= this.#kind.queueDepthMax) {
        // In the step that looked: who tells from now on finds nobody at work and begins anew.
        this.#passing = false;
        return;
      }
      this.#pending.delete(tenantNo);
      try {
        await this.#passTenant(tenantNo, this.#courier);
      } catch (error) {
        // The host or the courier is gone, or on its way.
        this.#ports.after(this.#kind.retryMs, () => this.pending(tenantNo));
        const facts = { tenant_no: tenantNo, outbox: this.#kind.take, error: (error as Error).message };
        this.#ports.log.warn(facts, 'an outbox could not be passed on to the courier: it is tried again');
      }
    }
  }

  async #passTenant(tenantNo: number, courier: Channel): Promise<void> {
    const except = [...(this.#held.get(tenantNo)?.keys() ?? [])];
    const limit = this.#kind.queueDepthMax - this.#heldCount;
    if (!this.#ports.isThere(tenantNo)) return;
    const answer = await this.#ports.ask(tenantNo, this.#kind.take, { except, limit });
    if (!this.#ports.isThere(tenantNo)) return; // it was deleted meanwhile
    const { parcels, more } = this.#kind.taken(answer);
    if (more || courier !== this.#courier) this.#pending.add(tenantNo);
    if (courier !== this.#courier || parcels.length === 0) return;
    for (const { id } of parcels) this.#hold(tenantNo, id);
    await this.#kind.send(courier, parcels);
  }

  #settled(settled: S): void {
    const ids = this.#held.get(settled.tenantNo);
    if (ids?.has(settled.id) === true) ids.set(settled.id, settled);
    void this.#settle(settled);
  }

  async #settle(settled: S): Promise<void> {
    const { tenantNo, id } = settled;
    try {
      if (this.#ports.isThere(tenantNo)) await this.#ports.ask(tenantNo, this.#kind.settle, settled);
      this.#forget(tenantNo, id);
      this.#pass();
    } catch (error) {
      const facts = { tenant_no: tenantNo, outbox: this.#kind.settle, id, error: (error as Error).message };
      this.#ports.log.warn(facts, 'what became of a delivery could not be noted: its outbox is told again later');
    }
  }

  #hold(tenantNo: number, id: string): void {
    const ids = this.#held.get(tenantNo) ?? new Map<string, S | null>();
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

/** The thread is gone, and all that it held with it. */
function isClosed(error: unknown): boolean {
  return error instanceof ChannelFault && error.why === 'closed';
}
