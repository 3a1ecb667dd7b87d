/** Checks once for every tenant of a host whether a crash left work undone; in slices, so that no request waits for it. */
import { limits } from '#config/limits.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';

export class ResumeTenants {
  readonly #look: (entry: TenantEntry) => void;
  readonly #later: (run: () => void) => void;
  readonly #seen = new Set<number>();
  #queue: TenantEntry[] = [];

  /** `look` is called once for each tenant, in later turns of the event loop. */
  constructor(look: (entry: TenantEntry) => void, later: (run: () => void) => void) {
    this.#look = look;
    this.#later = later;
  }

  /** Adds tenants of this host; those seen before are passed over. */
  add(tenants: readonly TenantEntry[]): void {
    const idle = this.#queue.length === 0;
    for (const tenant of tenants) {
      if (this.#seen.has(tenant.no)) continue;
      this.#seen.add(tenant.no);
      this.#queue.push(tenant);
    }
    if (idle && this.#queue.length > 0) this.#later(() => this.#slice());
  }

  #slice(): void {
    const rest = this.#queue.slice(limits.host.resumeSlice);
    for (const tenant of this.#queue.slice(0, limits.host.resumeSlice)) this.#look(tenant);
    this.#queue = rest;
    if (rest.length > 0) this.#later(() => this.#slice());
  }
}
