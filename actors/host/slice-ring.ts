/**
 * Slices of long work take turns. Each lets others run after a few milliseconds, but a hundred of them that went on in the same turn of the
 * event loop would hold everyone else for all of theirs: so one goes on in each, tenant by tenant, and I/O and the turns of callers
 * have their chance between any two.
 */
type Waiting = () => void;

class SliceRing {
  /** By tenant, in the order of their turns. */
  readonly #waiting = new Map<number, Waiting[]>();

  wait(tenantNo: number, go: Waiting): void {
    const isFirst = this.#waiting.size === 0;
    const own = this.#waiting.get(tenantNo);
    if (own === undefined) this.#waiting.set(tenantNo, [go]);
    else own.push(go);
    if (isFirst) setImmediate(() => this.#next());
  }

  #next(): void {
    for (const [tenantNo, own] of this.#waiting) {
      const go = own.shift();
      this.#waiting.delete(tenantNo);
      if (own.length > 0) this.#waiting.set(tenantNo, own);
      if (this.#waiting.size > 0) setImmediate(() => this.#next());
      go?.();
      return;
    }
  }
}

const ring = new SliceRing();

/** Resolves when the next slice of a tenant's long work may begin. One ring a thread: its tenants share it. */
export function nextSlice(tenantNo: number): Promise<void> {
  return new Promise((resolve) => ring.wait(tenantNo, resolve));
}
