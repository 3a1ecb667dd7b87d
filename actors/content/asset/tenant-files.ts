/** How much the files of all stores of a tenant use of the quota that operators set for it (docs/contract/tenants.md §3). Without one nothing is counted. */
import type { TenantUse } from '#actors/host/tenant-use.ts';

/** Bytes of a store: of its files, which published ones are added to, and of uploads under way. */
export interface Held {
  readonly counted: { bytes: number };
  readonly reserved: number;
}

interface Holder {
  held(): Promise<Held>;
}

export class TenantFiles {
  readonly #use: TenantUse | undefined;
  #stores: readonly Holder[] = [];

  /** `use`: absent where the tenant is not bounded, a plane. */
  constructor(use: TenantUse | undefined) {
    this.#use = use;
  }

  /** The stores that the tenant has from now on, those that are not served included: their files are there. */
  have(stores: readonly Holder[]): void {
    this.#stores = stores;
  }

  get isBounded(): boolean {
    return this.#max !== Infinity;
  }

  /** What each of the stores holds; nothing where no quota is set. */
  held(): Promise<Held[]> {
    return this.isBounded ? Promise.all(this.#stores.map((store) => store.held())) : Promise.resolve([]);
  }

  /** The quota in words where so many bytes beside those that are held have no room in it, else null. */
  full(held: readonly Held[], size: number): string | null {
    if (bytesOf(held) + size <= this.#max) return null;
    return `all files of the tenant, of every store, may take ${this.#max} bytes`;
  }

  /** The quota's metrics show it. */
  tell(held: readonly Held[]): void {
    if (this.isBounded) this.#use?.holdsFiles(bytesOf(held));
  }

  get #max(): number {
    return this.#use?.fileBytesMax ?? Infinity;
  }
}

const bytesOf = (held: readonly Held[]): number =>
  held.reduce((sum, { counted, reserved }) => sum + counted.bytes + reserved, 0);
