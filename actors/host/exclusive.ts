/**
 * A tenant's right of way: a mutation that needs several slices takes it, so that no other work writes between them
 * (docs/contract/common.md §8.3). It ends with the holder's turn. The host begins no call and no ask of the tenant meanwhile: they wait in
 * their mailbox.
 *
 * It also counts the work under way: work that waits in its middle keeps using the activation that it began with, so the activation neither
 * sleeps nor is forgotten before the last of them has left.
 */

/** A work that can hold a tenant, until its turn ends. */
interface Holder {
  onEnd(then: () => void): void;
}

/** A work that waited would go on while another holds the tenant: what it read may be half of a mutation. */
export class TenantHeld extends Error {
  constructor() {
    super('another mutation has the tenant to itself');
  }
}

/** The host is about to end. Work beside the callers stops with this between two slices, and the next activation continues it; an ask fails. */
export class TenantClosed extends Error {
  constructor() {
    super('the host is about to end');
  }
}

export class Exclusive {
  #holder: Holder | null = null;
  #waiting: (() => void)[] = [];
  #inside = 0;
  #leaving: (() => void)[] = [];
  #closed = false;
  #closing: (() => void)[] = [];
  #wanting: (() => void)[] = [];

  /** Whether no work holds the tenant or is under way in it. */
  get quiet(): boolean {
    return this.#holder === null && this.#inside === 0;
  }

  /** Work that may wait begins; it calls `leave` once. */
  enter(): void {
    this.#inside++;
  }

  leave(): void {
    this.#inside--;
    this.#settle();
  }

  /** Calls `then` at the next quiet moment: at once, or when the last has left. */
  whenQuiet(then: () => void): void {
    if (this.quiet) {
      then();
      return;
    }
    this.#leaving.push(then);
    for (const leave of this.#wanting.splice(0)) leave();
  }

  /** Calls `then` once, when a quiet moment is waited for: work that only waits, and can be asked for again, then ends. */
  onWanted(then: () => void): void {
    if (this.wanted) then();
    else this.#wanting.push(then);
  }

  /** Whether a quiet moment is waited for: work that can continue in a later activation then leaves. */
  get wanted(): boolean {
    return this.#leaving.length > 0;
  }

  /** Whether the tenant's storage is about to close: work between two slices goes no further. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Calls what `onClose` registered; resolves when the last work has left. */
  close(): Promise<void> {
    this.#closed = true;
    for (const then of this.#closing.splice(0)) then();
    return new Promise((resolve) => this.whenQuiet(resolve));
  }

  /** Calls `then` once, when the tenant closes. */
  onClose(then: () => void): void {
    this.#closing.push(then);
  }

  #settle(): void {
    while (this.quiet && this.#leaving.length > 0) this.#leaving.shift()!();
  }

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

  /** Calls `then` when no work holds the tenant: at once, or in the order of asking. */
  whenFree(then: () => void): void {
    if (this.#holder === null) then();
    else this.#waiting.push(then);
  }

  /** The first that waited may take the tenant again: the others then wait on. */
  #release(): void {
    this.#holder = null;
    while (this.#holder === null && this.#waiting.length > 0) this.#waiting.shift()!();
    this.#settle();
  }
}
