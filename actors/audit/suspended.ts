/** The tenants that are suspended on this node: their own credentials neither write nor read a log (docs/contract/tenants.md §1.2). */
export class Suspended {
  #keys: ReadonlySet<string> = new Set();

  replace(keys: readonly string[]): void {
    this.#keys = new Set(keys);
  }

  has(tenant: string): boolean {
    return this.#keys.has(tenant);
  }
}
