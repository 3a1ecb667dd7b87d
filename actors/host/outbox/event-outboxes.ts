/** The outboxes of events of a thread's tenants: one for each; it outlives activations. */
import type { Store } from '#storage/port.ts';
import type { AuditParcel, AuditSettled } from '#actors/protocol/audit.ts';
import type { Taken } from '#actors/protocol/outbox.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { EventOutbox } from './event-outbox.ts';

export interface EventOutboxesPorts {
  /** Whether anything is recorded. */
  readonly enabled: boolean;
  /** A tenant that lives here; undefined for any other. */
  entry(tenantNo: number): TenantEntry | undefined;
  store(entry: TenantEntry): Store;
  /** Notifies main that a tenant has events; they are durable by then. */
  pending(tenantNo: number): void;
}

export class EventOutboxes {
  readonly #ports: EventOutboxesPorts;
  readonly #open = new Map<number, EventOutbox>();

  constructor(ports: EventOutboxesPorts) {
    this.#ports = ports;
  }

  /** The outbox of a tenant; undefined where nothing is recorded, and for a tenant that does not live here. */
  of(tenantNo: number): EventOutbox | undefined {
    const present = this.#open.get(tenantNo);
    const entry = this.#ports.entry(tenantNo);
    if (!this.#ports.enabled || present !== undefined || entry === undefined) return present;
    const outbox = new EventOutbox(this.#ports.store(entry), () => this.#ports.pending(tenantNo));
    this.#open.set(tenantNo, outbox);
    return outbox;
  }

  /** The tenant's store is replaced, or gone. */
  forget(tenantNo: number): void {
    this.#open.delete(tenantNo);
  }

  /** Events that the audit log has not acknowledged. */
  get waiting(): number {
    return [...this.#open.values()].reduce((sum, { depth }) => sum + depth, 0);
  }

  /** The oldest events of a tenant. Throws for one that does not live here. */
  take(tenantNo: number): Promise<Taken<AuditParcel>> {
    return this.#here(tenantNo).parcels(this.#ports.entry(tenantNo)!);
  }

  settle({ tenantNo, upTo }: AuditSettled): null {
    this.#here(tenantNo).settle(upTo);
    return null;
  }

  #here(tenantNo: number): EventOutbox {
    const outbox = this.of(tenantNo);
    if (outbox === undefined) throw new Error(`no events of tenant ${tenantNo} are recorded here`);
    return outbox;
  }
}
