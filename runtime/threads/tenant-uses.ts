/** What the tenants of a host use (actors/host/tenant-use.ts), and what their quotas leave them. */
import { TenantUse } from '#actors/host/tenant-use.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { HostUsage, OutsideLeft } from '#actors/protocol/usage.ts';

export class TenantUses {
  readonly #byNo = new Map<number, TenantUse>();
  /** Tenants whose calls outside are bounded. */
  #bounded: readonly number[] = [];

  of({ no, quota }: Pick<TenantEntry, 'no' | 'quota'>): TenantUse {
    const use = this.#useOf(no);
    use.bound(quota);
    return use;
  }

  /** The entry of a tenant has changed. */
  change({ no, quota }: Pick<TenantEntry, 'no' | 'quota'>): void {
    this.#byNo.get(no)?.bound(quota);
  }

  forget(no: number): void {
    this.#byNo.delete(no);
  }

  /** The thread has worked for a tenant; planes have a use, too, and main leaves it out. */
  worked(no: number, ms: number): void {
    this.#byNo.get(no)?.worked(ms);
  }

  take(): HostUsage[] {
    const taken: HostUsage[] = [];
    for (const [no, use] of this.#byNo) {
      const one = use.take(no);
      if (one !== null) taken.push(one);
    }
    return taken;
  }

  /** Replaces what is left of calls outside: other tenants are not bounded. */
  allow(lefts: readonly OutsideLeft[]): void {
    for (const no of this.#bounded) this.#byNo.get(no)?.allowOutside(Infinity);
    this.#bounded = lefts.map(({ tenantNo }) => tenantNo);
    for (const { tenantNo, left } of lefts) this.#useOf(tenantNo).allowOutside(left);
  }

  #useOf(no: number): TenantUse {
    let use = this.#byNo.get(no);
    if (use === undefined) this.#byNo.set(no, (use = new TenantUse()));
    return use;
  }
}
