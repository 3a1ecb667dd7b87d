/** Bounded mailboxes, one per tenant, and fair turns between them: each takes one turn, then the next tenant's. */
import type { Call } from './call.ts';

/** Slots that a mailbox begins with: most tenants never have more calls waiting. A power of two, so that places wrap by a mask. */
const SLOTS = 16;

/**
 * A ring of calls that doubles when it is full. The ring drops its reference to a call that is taken: under steady load a mailbox is never
 * empty, and calls that it kept would reach the old generation of the heap with all that they read, to be collected while callers wait.
 */
export class Mailbox {
  readonly tenantNo: number;
  #slots: (Call | undefined)[] = new Array<Call | undefined>(SLOTS).fill(undefined);
  #first = 0;
  #depth = 0;
  /** Whether it is in the ring of mailboxes with work. */
  listed = false;
  /** The tenant is waking: its calls wait. */
  paused = false;

  constructor(tenantNo: number) {
    this.tenantNo = tenantNo;
  }

  get depth(): number {
    return this.#depth;
  }

  push(call: Call): void {
    if (this.#depth === this.#slots.length) this.#grow();
    this.#slots[(this.#first + this.#depth++) & (this.#slots.length - 1)] = call;
  }

  shift(): Call | undefined {
    if (this.#depth === 0) return undefined;
    const call = this.#slots[this.#first];
    this.#slots[this.#first] = undefined;
    this.#first = (this.#first + 1) & (this.#slots.length - 1);
    this.#depth--;
    return call;
  }

  #grow(): void {
    const waiting = [...this.#slots.slice(this.#first), ...this.#slots.slice(0, this.#first)];
    this.#slots = [...waiting, ...new Array<undefined>(waiting.length).fill(undefined)];
    this.#first = 0;
  }
}

/** Mailboxes with work, in turn order. */
export class TurnRing {
  readonly #boxes = new Map<number, Mailbox>();
  #ring: Mailbox[] = [];
  #next = 0;
  readonly #depthMax: number;

  constructor(depthMax: number) {
    this.#depthMax = depthMax;
  }

  box(tenantNo: number): Mailbox {
    let box = this.#boxes.get(tenantNo);
    if (box === undefined) this.#boxes.set(tenantNo, (box = new Mailbox(tenantNo)));
    return box;
  }

  /** False when the tenant's mailbox is full: the caller sheds with 503. */
  offer(call: Call): boolean {
    const box = this.box(call.tenantNo);
    if (box.depth >= this.#depthMax) return false;
    box.push(call);
    this.#list(box);
    return true;
  }

  /** The next call in fair order, or undefined when nothing can run. */
  take(): Call | undefined {
    while (this.#ring.length > 0) {
      if (this.#next >= this.#ring.length) this.#next = 0;
      const box = this.#ring[this.#next]!;
      const call = box.paused ? undefined : box.shift();
      if (call !== undefined && box.depth > 0) {
        this.#next++;
        return call;
      }
      box.listed = false;
      this.#ring.splice(this.#next, 1);
      if (call !== undefined) return call;
    }
    return undefined;
  }

  /** Calls in all mailboxes that have work. */
  get depth(): number {
    let depth = 0;
    for (const box of this.#ring) depth += box.depth;
    return depth;
  }

  pause(tenantNo: number): void {
    this.box(tenantNo).paused = true;
  }

  resume(tenantNo: number): void {
    const box = this.box(tenantNo);
    box.paused = false;
    if (box.depth > 0) this.#list(box);
  }

  /** Forgets an empty mailbox (its tenant sleeps). */
  forget(tenantNo: number): void {
    if (this.#boxes.get(tenantNo)?.depth === 0) this.#boxes.delete(tenantNo);
  }

  #list(box: Mailbox): void {
    if (box.listed) return;
    box.listed = true;
    this.#ring.push(box);
  }
}
