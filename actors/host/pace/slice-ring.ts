/**
 * Slices of long work take turns. Each ends after a few milliseconds, but a hundred slices in one turn of the event loop would hold every
 * caller for all of them: so each turn of the loop runs one slice, tenant by tenant, and I/O and callers' turns run between any two. One
 * turn of the loop may serve a single caller, while a slice takes as long as hundreds of callers: so when callers wait, they get as long as
 * the last slice took before the next begins.
 */
import { performance } from 'node:perf_hooks';
import { limits } from '#config/limits.ts';
import { afterMicrotasks } from './after-microtasks.ts';

type Waiting = () => void;

/** Called with the tenant of a slice and its length in milliseconds. */
export type SliceWorked = (tenantNo: number, ms: number) => void;

/** Whether callers wait for a turn on this thread. */
export type CallersWait = () => boolean;

export class SliceRing {
  /** By tenant, in the order of their turns. */
  readonly #waiting = new Map<number, Waiting[]>();
  readonly #monotonic: () => number;
  #callersWait: CallersWait = () => false;
  #worked: SliceWorked | null = null;
  /** When the last slice began, until the next turn of the loop: a slice runs after `go` has returned, so its end cannot be seen. */
  #began: number | null = null;
  /** Before this time no slice begins while callers wait. */
  #after = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Whether long work of the tenant waits. */
  waits(tenantNo: number): boolean {
    return this.#waiting.has(tenantNo);
  }

  /** Waits for a turn of the tenant; with `first` before the tenant's other works. */
  wait(tenantNo: number, go: Waiting, first = false): void {
    const isFirst = this.#waiting.size === 0;
    const own = this.#waiting.get(tenantNo);
    if (own === undefined) this.#waiting.set(tenantNo, [go]);
    else if (first) own.unshift(go);
    else own.push(go);
    if (isFirst) this.#soon();
  }

  giveWay(to: CallersWait): void {
    this.#callersWait = to;
  }

  /** Reports how long each slice has held the thread. */
  count(worked: SliceWorked): void {
    this.#worked = worked;
  }

  #soon(): void {
    setImmediate(() => this.#next());
  }

  #next(): void {
    if (this.#givesWay()) {
      this.#soon();
      return;
    }
    for (const [tenantNo, own] of this.#waiting) {
      const go = own.shift();
      this.#waiting.delete(tenantNo);
      if (own.length > 0) this.#waiting.set(tenantNo, own);
      if (this.#waiting.size > 0) this.#soon();
      this.#began = this.#monotonic();
      go?.();
      if (this.#worked !== null) this.#measure(tenantNo, this.#began, this.#worked);
      return;
    }
  }

  /** A slice runs in the microtasks after `go`. */
  #measure(tenantNo: number, began: number, worked: SliceWorked): void {
    afterMicrotasks(() => worked(tenantNo, this.#monotonic() - began));
  }

  /** Whether callers wait, and have not yet had as long as the last slice took. */
  #givesWay(): boolean {
    const now = this.#monotonic();
    if (this.#began !== null) this.#after = now + (now - this.#began);
    this.#began = null;
    return now < this.#after && this.#callersWait();
  }
}

const ring = new SliceRing(() => performance.now());

/** Resolves when the next slice of a tenant's long work may begin; with `first` before the tenant's other works. One ring a thread: its tenants share it. */
export function nextSlice(tenantNo: number, first = false): Promise<void> {
  return new Promise((resolve) => ring.wait(tenantNo, resolve, first));
}

/**
 * The place of one work among the long works of its tenant. A work begins behind those that wait, and takes several slices in a row before the
 * next has its turn. So a few works at a time hold what they have read; if a hundred advanced together, all would hold theirs to the end.
 */
export class SlicePlace {
  #begun = false;
  #taken = 0;

  /** For work that begins: null when it may begin at once, since none waits or the work has begun before. */
  begin(tenantNo: number): Promise<void> | null {
    if (this.#begun) return null;
    this.#begun = true;
    return ring.waits(tenantNo) ? nextSlice(tenantNo) : null;
  }

  next(tenantNo: number): Promise<void> {
    this.#begun = true;
    this.#taken++;
    return nextSlice(tenantNo, this.#taken % limits.host.slicesInARow !== 0);
  }
}

/** From now on the lengths of this thread's slices are reported. */
export function countSlices(worked: SliceWorked): void {
  ring.count(worked);
}

/** From now on slices of this thread leave its callers time. */
export function slicesGiveWay(to: CallersWait): void {
  ring.giveWay(to);
}
