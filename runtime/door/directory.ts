/** Tenants by key, as the door looks them up: one Map read per request. */
import { INACTIVE_TENANT, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import type { TenantChanges, TenantEntry } from '#actors/protocol/topics.ts';

export class Directory {
  readonly #byKey = new Map<string, TenantEntry>();
  readonly #byNo = new Map<number, TenantEntry>();
  /** Configured in the platform file, whether registered or not. */
  readonly #configured: ReadonlySet<string>;
  readonly #asked = new Set<string>();
  /** Called at the first request for a configured position that the registry does not know (docs/contract/identity.md §10.4). */
  onFirstRequest: (key: string) => void = () => undefined;
  /** Called for each tenant that is gone, or whose key now belongs to another tenant. */
  onGone: (key: string) => void = () => undefined;
  /** Called for each tenant that was added, changed or removed; once with '' where all were replaced. */
  onEntry: (key: string) => void = () => undefined;
  /** Called whenever tenants were added, changed or removed. */
  onChange: () => void = () => undefined;

  constructor(configured: Iterable<string>) {
    this.#configured = new Set(configured);
  }

  put(entries: readonly TenantEntry[]): void {
    for (const entry of entries) {
      this.#byKey.set(entry.position.key, entry);
      this.#byNo.set(entry.no, entry);
      this.onEntry(entry.position.key);
    }
  }

  /** Replaces all tenants: those that are not among the entries are gone. */
  replace(entries: readonly TenantEntry[]): void {
    this.#byKey.clear();
    this.#byNo.clear();
    this.onEntry('');
    this.put(entries);
    this.onChange();
  }

  change({ put, gone }: TenantChanges): void {
    for (const no of gone) {
      const key = this.#byNo.get(no)?.position.key;
      this.#byNo.delete(no);
      if (key === undefined) continue;
      if (this.#byKey.get(key)?.no === no) this.#byKey.delete(key);
      this.onEntry(key);
      this.onGone(key);
    }
    this.put(put);
    this.onChange();
  }

  get(key: string): TenantEntry | undefined {
    return this.#byKey.get(key);
  }

  byNo(no: number): TenantEntry | undefined {
    return this.#byNo.get(no);
  }

  /** Whether there is a tenant of this number whose deletion has not begun. A deletion that has begun is never undone. */
  isThere(no: number): boolean {
    const state = this.#byNo.get(no)?.state;
    return state !== undefined && state !== 'deleting';
  }

  isSuspended(no: number): boolean {
    return this.#byNo.get(no)?.standing === 'suspended';
  }

  all(): TenantEntry[] {
    return [...this.#byKey.values()];
  }

  /** Why a well-formed position has no active tenant. */
  reasonFor(key: string): typeof INACTIVE_TENANT | typeof UNKNOWN_POSITION {
    if (this.#byKey.has(key)) return INACTIVE_TENANT;
    if (!this.#configured.has(key)) return UNKNOWN_POSITION;
    if (!this.#asked.has(key)) {
      this.#asked.add(key);
      this.onFirstRequest(key);
    }
    return INACTIVE_TENANT;
  }

  /** Lets the next request for this position count as the first again, since the registration that the last one began has failed. */
  forgetFirstRequest(key: string): void {
    this.#asked.delete(key);
  }
}
