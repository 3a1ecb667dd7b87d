/**
 * A tenant's right of way: a mutation that needs several slices takes it, so that nobody writes between them (DESIGN §3). It
 * ends with the holder's turn. The host begins no call and no ask of the tenant meanwhile: they wait in their mailbox.
 */

/** Who can hold a tenant: a work whose turn ends. */
interface Holder {
  onEnd(then: () => void): void;
}

/** Who waited for something else and wants to go on while another holds the tenant: what he read may be half of a mutation. */
export class TenantHeld extends Error {
  constructor() {
    super('another mutation has the tenant to itself');
  }
}

export class Exclusive {
  #holder: Holder | null = null;
  #waiting: (() => void)[] = [];

  get held(): boolean {
    return this.#holder !== null;
  }

  isHeldBy(work: Holder): boolean {
    return this.#holder === work;
  }

  /** Throws TenantHeld while another work has the tenant to itself. */
  check(work: Holder): void {
    if (this.#holder !== null && this.#holder !== work) throw new TenantHeld();
  }

  /** Gives the tenant to a work until its turn ends. Throws TenantHeld while another has it. */
  take(work: Holder): void {
    this.check(work);
    if (this.#holder === work) return;
    this.#holder = work;
    work.onEnd(() => this.#release());
  }

  /** Calls `then` when nobody holds the tenant: at once, or in the order of asking. */
  whenFree(then: () => void): void {
    if (this.#holder === null) then();
    else this.#waiting.push(then);
  }

  /** The first who waited may take the tenant again: the others then wait on. */
  #release(): void {
    this.#holder = null;
    while (this.#holder === null && this.#waiting.length > 0) this.#waiting.shift()!();
  }
}
