/** A relay of mail whose outboxes and couriers are in this thread. */
import { Channel } from '#actors/protocol/channel.ts';
import type { Mail, MailOutcome, MailSettled } from '#actors/protocol/mail.ts';
import type { OutboxWish } from '#actors/protocol/outbox.ts';
import { MAIL } from '#runtime/relays/kinds.ts';
import { Relay } from '#runtime/relays/relay.ts';
import type { RelayKind } from '#runtime/relays/relay-kind.ts';
import { pairOfPorts } from '#test/kit/ports.ts';

/** Until messages that are on their way, and what they cause, have arrived. */
export const settledLoop = async (): Promise<void> => {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
};

export class Bench {
  /** Tenant → ids in its outbox. */
  readonly outboxes = new Map<number, string[]>();
  readonly wishes: OutboxWish[] = [];
  readonly later: (() => void)[] = [];
  readonly warned: string[] = [];
  /** Asks fail while it is true: the host is gone. */
  hostGone = false;
  /** Tenants that were deleted. */
  readonly deleted = new Set<number>();
  /** Tenants that are suspended. */
  readonly suspended = new Set<number>();
  /** How many more mails the quota of a tenant lets leave. */
  readonly left = new Map<number, number>();
  /** Answers that were counted. */
  readonly counted: unknown[] = [];
  /** Runs while an outbox is asked for mail. */
  nowMs = 0;
  meanwhile: () => void = () => undefined;
  readonly host: Channel;
  readonly relay: Relay<Mail, MailSettled>;

  /** `gatherMs`: for how long what comes is gathered; null for not at all. */
  constructor(gatherMs: number | null = null) {
    const kind: RelayKind<Mail, MailSettled> = gatherMs === null ? MAIL : { ...MAIL, gatherMs };
    const [near, far] = pairOfPorts();
    const source = new Channel(near, 'main', 'tenant-host');
    this.host = new Channel(far, 'tenant-host', 'main');
    this.host.answer('mail.take', (wish) => this.#take(wish));
    this.host.answer('mail.settle', ({ tenantNo, id }) => this.#settle(tenantNo, id));
    this.relay = new Relay(kind, {
      source: (tenantNo) => (this.deleted.has(tenantNo) ? null : source),
      mayLeave: (tenantNo) => !this.suspended.has(tenantNo),
      left: (tenantNo) => this.left.get(tenantNo) ?? Infinity,
      answered: (answer) => void this.counted.push(answer),
      after: (_ms, run) => void this.later.push(run),
      now: () => this.nowMs,
      log: { info: () => undefined, warn: (_facts, text) => void this.warned.push(text), error: () => undefined },
    });
    this.relay.attachSource(source);
  }

  put(tenantNo: number, ...ids: string[]): void {
    this.outboxes.set(tenantNo, [...(this.outboxes.get(tenantNo) ?? []), ...ids]);
    this.relay.pending(tenantNo);
  }

  courier(): FakeCourier {
    const courier = new FakeCourier();
    this.relay.attachReceiver(courier.near, courier.gone);
    return courier;
  }

  #idsOf(tenantNo: number): string[] {
    if (this.hostGone) throw new Error('the host is gone');
    if (this.deleted.has(tenantNo)) throw new Error('its outbox is gone');
    return this.outboxes.get(tenantNo) ?? [];
  }

  #settle(tenantNo: number, settled: string): null {
    this.outboxes.set(
      tenantNo,
      this.#idsOf(tenantNo).filter((id) => id !== settled),
    );
    return null;
  }

  #take(wish: OutboxWish) {
    const ids = this.#idsOf(wish.tenantNo);
    this.wishes.push(wish);
    this.meanwhile();
    const free = ids.filter((id) => !wish.except.includes(id));
    const parcels = free.slice(0, wish.limit).map((id) => mailOf(wish.tenantNo, id));
    return { parcels, more: free.length > parcels.length };
  }
}

const mailOf = (tenantNo: number, id: string): Mail => ({
  tenantNo,
  tenant: '',
  id,
  to: '',
  subject: '',
  text: '',
  html: '',
  expiresAtMs: 0,
});

export class FakeCourier {
  readonly near: Channel;
  readonly far: Channel;
  readonly got: Mail[] = [];
  readonly forgotten: (readonly number[])[] = [];
  die: () => void = () => undefined;
  readonly gone: Promise<void>;
  /** It cannot take what it is handed, as before its thread has declared what it answers. */
  refuses = false;

  constructor() {
    const [near, far] = pairOfPorts();
    this.near = new Channel(near, 'main', 'courier');
    this.far = new Channel(far, 'courier', 'main');
    this.far.answer('courier.send', (mails) => {
      if (this.refuses) throw new Error('not yet');
      this.got.push(...mails);
      return null;
    });
    this.far.answer('courier.forget', (tenantNos) => {
      this.forgotten.push(tenantNos);
      return null;
    });
    this.gone = new Promise((resolve) => {
      this.die = () => {
        this.near.close('died');
        resolve();
      };
    });
  }

  get ids(): string[] {
    return this.got.map(({ tenantNo, id }) => `${tenantNo} ${id}`);
  }

  answer(tenantNo: number, id: string, outcome: MailOutcome = 'sent'): void {
    this.far.tell('courier.settled', { tenantNo, id, outcome });
  }
}
