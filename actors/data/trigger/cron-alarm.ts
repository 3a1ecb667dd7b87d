/**
 * Wakes the tenants of a thread when a cron trigger of theirs is due: one timer for all of them, by the node's clock. It keeps no tenant awake:
 * what it knows is an instant for each, from the durable places (cron/store.ts). Tenants that are due together are woken a few at a time. When the
 * clock was set back far, what it knows is of a clock that was wrong: then all look once more.
 */
import { limits } from '#config/limits.ts';
import type { Clock } from '#actors/kit/clock.ts';

export interface AlarmPorts {
  readonly clock: Clock;
  /** The latest instant that is known of before; 0 for none. Asked at the first look: a thread may wait long before it is opened. */
  readonly seenMs: () => number;
  readonly after: (ms: number, run: () => void) => void;
  /** Wakes the tenant and has it look; false where it is not served here any more. */
  readonly ring: (tenantNo: number) => boolean;
}

export class CronAlarm {
  readonly #ports: AlarmPorts;
  /** The instant for which each tenant waits. */
  readonly #due = new Map<number, number>();
  /** The instant of the timer that counts: one that was set for a later look does nothing. */
  #lookAtMs = Infinity;
  #timer = 0;
  /** The latest instant of any look; null before the first. */
  #seenMs: number | null = null;

  constructor(ports: AlarmPorts) {
    this.#ports = ports;
  }

  /** The tenant is to look at an instant, in milliseconds since the epoch; null for never. */
  set(tenantNo: number, dueMs: number | null): void {
    if (dueMs === null) this.#due.delete(tenantNo);
    else {
      this.#due.set(tenantNo, dueMs);
      this.#wait(dueMs - this.#ports.clock.now());
    }
  }

  #wait(ms: number): void {
    const { alarmLookMs } = limits.triggers;
    const waitMs = Math.min(Math.max(0, ms), alarmLookMs);
    const atMs = this.#ports.clock.now() + waitMs;
    if (atMs >= this.#lookAtMs) return;
    this.#lookAtMs = atMs;
    const timer = ++this.#timer;
    this.#ports.after(waitMs, () => {
      if (timer === this.#timer) this.#look();
    });
  }

  #look(): void {
    const { alarmTenantsMax, alarmRestMs, alarmAgainMs } = limits.triggers;
    const { clock, seenMs } = this.#ports;
    const now = clock.now();
    this.#lookAtMs = Infinity;
    if (now < (this.#seenMs ?? seenMs()) - limits.triggers.setBackMs)
      for (const tenantNo of this.#due.keys()) this.#due.set(tenantNo, now);
    this.#seenMs = now;
    let rings = 0;
    let next = Infinity;
    for (const [tenantNo, dueMs] of this.#due) {
      if (dueMs > now) next = Math.min(next, dueMs - now);
      else if (rings === alarmTenantsMax) next = Math.min(next, alarmRestMs);
      else {
        rings++;
        if (this.#ports.ring(tenantNo)) this.#due.set(tenantNo, now + alarmAgainMs);
        else this.#due.delete(tenantNo);
      }
    }
    if (this.#due.size > 0) this.#wait(Math.min(next, alarmAgainMs));
  }
}
