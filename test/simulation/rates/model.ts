/**
 * The contract as plain token buckets (docs/contract/identity.md §7.2, docs/contract/intake.md §9, actors/rates/README.md): a bucket for each caller, and one
 * that callers without a place share. A caller may be sent to that one only where the table can be full, or where a thread has died in its set a while ago.
 */
import { limits } from '#config/limits.ts';
import type { CompiledProfile } from '#actors/rates/profile.ts';
import type { Declared } from './settings.ts';

const { ways, sweepMs } = limits.rateTable;
/** A keeper that died is there again within this time. */
export const AGAIN_MS = 5000;
/** After an entry has been full for the idle time, its place is free within this. */
const FREED_MS = sweepMs + 2 * AGAIN_MS;
/** And a lock within this after a caller was sent away by it: its stamp has whole seconds. */
const UNLOCKED_MS = 2 * sweepMs + 2 * AGAIN_MS;

interface Bucket {
  /** When it is full again. */
  fullAtMs: number;
  readonly grantedAtMs: number[];
}

/** One profile of the table. */
export class PlainRates {
  readonly #declared: Declared;
  readonly #buckets = new Map<string, Bucket>();
  readonly #shared: Bucket = { fullAtMs: -Infinity, grantedAtMs: [] };
  readonly #costMs: number;
  /** Times are whole ticks. */
  readonly #slackMs: number;
  #lockedUntilMs = -Infinity;
  /** A thread has died, and no caller was sent away since. */
  #mayBeLocked = false;
  /** A thread that ends between an entry and its count leaves a place that is never given again. */
  #lost = 0;
  overflowed = 0;
  granted = 0;

  constructor(declared: Declared, { costTicks, ticksPerMs }: CompiledProfile) {
    this.#declared = declared;
    this.#costMs = costTicks / ticksPerMs;
    this.#slackMs = 2 / ticksPerMs;
    const wantedMs = 1000 / declared.perSecond;
    if (this.#costMs < wantedMs || this.#costMs > wantedMs + 1 / ticksPerMs)
      throw new Error(`a token costs ${this.#costMs} ms, and ${wantedMs} ms are declared`);
  }

  get #windowMs(): number {
    return this.#declared.burst * this.#costMs;
  }

  /** A thread that was at this table has ended. */
  threadEnded(nowMs: number, isGate: boolean): void {
    this.#lost++;
    if (!isGate) return;
    this.#mayBeLocked = true;
    this.#lockedUntilMs = nowMs + UNLOCKED_MS;
  }

  /** A token was taken; `isShared`: of the bucket that callers without a place share. Throws where there was none. */
  took(caller: string, isShared: boolean, nowMs: number): void {
    const bucket = isShared ? this.#shared : this.#bucket(caller);
    const fullAtMs = Math.max(bucket.fullAtMs, nowMs) + this.#costMs;
    const aheadMs = fullAtMs - this.#windowMs - nowMs;
    const whose = isShared ? 'the shared bucket' : `the bucket of ${caller}`;
    if (aheadMs > this.#slackMs) throw new Error(`${whose} has granted a token that it has in ${aheadMs} ms`);
    bucket.fullAtMs = fullAtMs;
    bucket.grantedAtMs.push(nowMs);
    this.granted++;
  }

  /** A caller was refused, and told to wait. */
  refused(caller: string, isShared: boolean, waitMs: number, nowMs: number): void {
    const bucket = isShared ? this.#shared : this.#bucket(caller);
    const wantedMs = Math.max(bucket.fullAtMs, nowMs) + this.#costMs - this.#windowMs - nowMs;
    if (wantedMs < -this.#slackMs) throw new Error(`${caller} is refused, although a token is there`);
    if (Math.abs(waitMs - Math.ceil(wantedMs)) > 1 + this.#slackMs)
      throw new Error(`${caller} is told to wait ${waitMs} ms, and the next token comes in ${wantedMs} ms`);
  }

  /** A caller was sent to the shared bucket. `isBeside`: while another thread was at work in the table. */
  sentAway(caller: string, isBeside: boolean, nowMs: number): void {
    this.overflowed++;
    if ((this.#buckets.get(caller)?.fullAtMs ?? -Infinity) > nowMs + this.#slackMs)
      throw new Error(`${caller} is sent to the shared bucket, although its own is not full yet`);
    if (this.#mayBeLocked) this.#lockedUntilMs = nowMs + UNLOCKED_MS;
    this.#mayBeLocked = false;
    if (isBeside || nowMs <= this.#lockedUntilMs) return;
    const { entriesMax, idleMs } = this.#declared;
    const held = [...this.#buckets.values()].filter(({ fullAtMs }) => fullAtMs + idleMs + FREED_MS >= nowMs).length;
    if (held + this.#lost < Math.min(entriesMax, ways))
      throw new Error(`${caller} finds no place in a table of ${entriesMax}, although ${held} callers have one`);
  }

  /** Whole tokens that a caller has, at least and at most. */
  remaining(caller: string, nowMs: number): readonly [number, number] {
    const fullAtMs = this.#buckets.get(caller)?.fullAtMs ?? nowMs;
    const left = (this.#windowMs - Math.max(0, fullAtMs - nowMs)) / this.#costMs;
    const slack = this.#slackMs / this.#costMs;
    return [Math.floor(left - slack), Math.floor(left + slack)];
  }

  /** In no window has a bucket granted more than burst + rate × time; a table without callers is empty again. */
  judge(entries: number): void {
    for (const [caller, { grantedAtMs }] of [...this.#buckets, ['the shared bucket', this.#shared] as const])
      this.#judgeWindows(caller, grantedAtMs);
    if (entries > this.#lost) throw new Error(`${entries} places are taken long after the last caller`);
  }

  #judgeWindows(caller: string, grantedAtMs: readonly number[]): void {
    const { burst, perSecond } = this.#declared;
    for (const [first, fromMs] of grantedAtMs.entries())
      for (let last = first; last < grantedAtMs.length; last++) {
        const ms = grantedAtMs[last]! - fromMs + this.#slackMs;
        if (last - first + 1 > burst + (ms * perSecond) / 1000)
          throw new Error(`${caller} got ${last - first + 1} tokens within ${ms} ms`);
      }
  }

  /** When every place is free again, however the last callers came. */
  get restMs(): number {
    return this.#windowMs + this.#declared.idleMs + FREED_MS + UNLOCKED_MS;
  }

  #bucket(caller: string): Bucket {
    const found = this.#buckets.get(caller) ?? { fullAtMs: -Infinity, grantedAtMs: [] };
    this.#buckets.set(caller, found);
    return found;
  }
}
