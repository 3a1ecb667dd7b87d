/** What every host must know: the tenants and the keys. A host that opens gets all of it; afterwards hosts are told what changes. */
import type { RingRecord, PublicKeyRecord } from '#actors/kit/token/ring.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import type { HostOpen, TenantChanges, TenantEntry } from '#actors/protocol/topics.ts';

export class Shared {
  readonly #tenants = new Map<number, TenantEntry>();
  /** Kept apart, since a node may have ten thousand tenants and change one. */
  readonly #suspended = new Map<number, string>();
  #ring: readonly RingRecord[] = [];
  #trust: readonly PublicKeyRecord[] = [];
  #edition = 0;

  /** A number that grows with every change. */
  get edition(): number {
    return this.#edition;
  }

  get all(): Pick<HostOpen, 'tenants' | 'ring' | 'trust'> {
    return { tenants: [...this.#tenants.values()], ring: this.#ring, trust: this.#trust };
  }

  /** Keys of the tenants that are suspended. */
  get suspended(): string[] {
    return [...this.#suspended.values()];
  }

  replace(tenants: readonly TenantEntry[], ring: readonly RingRecord[]): void {
    this.#tenants.clear();
    this.#suspended.clear();
    for (const tenant of tenants) this.#put(tenant);
    this.#ring = ring;
    this.#edition++;
  }

  /** Takes changes and gives whether the ring has other keys than before; key ids suffice for that, since they are derived from the public keys. */
  change({ put, gone }: TenantChanges, ring: readonly RingRecord[]): boolean {
    const before = kidsOf(this.#ring);
    for (const no of gone) {
      this.#tenants.delete(no);
      this.#suspended.delete(no);
    }
    for (const tenant of put) this.#put(tenant);
    this.#ring = ring;
    this.#edition++;
    return kidsOf(ring) !== before;
  }

  #put(tenant: TenantEntry): void {
    const { no, position, standing } = tenant;
    this.#tenants.set(no, tenant);
    if (standing === 'suspended') this.#suspended.set(no, position.key);
    else this.#suspended.delete(no);
  }

  trust(keys: readonly PublicKeyRecord[]): void {
    this.#trust = keys;
    this.#edition++;
  }

  /** Tells a host everything if anything has changed since an edition, and again until nothing has changed meanwhile. */
  async catchUp(host: Channel, edition: number): Promise<void> {
    for (let told = edition; told !== this.#edition;) {
      told = this.#edition;
      const { tenants, ring, trust } = this.all;
      await host.ask('host.ring', ring);
      await host.ask('host.tenants', tenants);
      await host.ask('host.trust', trust);
    }
  }
}

const kidsOf = (ring: readonly RingRecord[]): string => ring.map(({ kid }) => kid).join(' ');
