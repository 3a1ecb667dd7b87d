/** One of the threads that hammer the same buckets. Waits at a gate in shared memory, so that all start together. */
import { parentPort, workerData } from 'node:worker_threads';
import { compileProfile } from '#actors/rates/profile.ts';
import { RateGate } from '#actors/rates/gate.ts';
import { monotonicClock } from '#actors/rates/monotonic-clock.ts';

export interface HammerOrder {
  readonly table: SharedArrayBuffer;
  readonly start: SharedArrayBuffer;
  readonly burst: number;
  readonly perSecond: number;
  readonly entriesMax: number;
  /** Null for the real, monotonic clock. */
  readonly frozenAtMs: number | null;
  readonly takes: number;
  /** How many addresses the takes go round. */
  readonly callers: number;
}

const order = workerData as HammerOrder;
const frozenAtMs = order.frozenAtMs;
const clock = frozenAtMs === null ? monotonicClock : { now: () => frozenAtMs };
const profile = compileProfile('hammered', order, order.entriesMax);
const gate = new RateGate(order.table, [profile], clock);
parentPort!.postMessage('ready');
Atomics.wait(new Int32Array(order.start), 0, 0);
let granted = 0;
for (let i = 0; i < order.takes; i++) if (gate.take(0, 1, `10.0.0.${i % order.callers}`) === 0) granted++;
parentPort!.postMessage(granted);
