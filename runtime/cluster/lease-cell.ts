/** The end of the node's lease in memory that its threads share: main renews it, and hosts ask it for each answer, which costs one comparison. */
import type { Platform } from '#config/platform.ts';

/** Milliseconds of the machine's monotonic clock, the same in all threads: a thread's performance.now() begins with the thread. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** No lease yet. Eight aligned bytes, which no machine that Skep runs on tears. */
export function createLeaseCell(): SharedArrayBuffer {
  const cell = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  new Float64Array(cell)[0] = -Infinity;
  return cell;
}

/** Where main writes each new end, by `machineMs`. */
export function writeLease(cell: SharedArrayBuffer): (until: number) => void {
  const until = new Float64Array(cell);
  return (ms) => {
    until[0] = ms;
  };
}

/** Whether the lease holds now, for this thread. */
export function readLease(cell: SharedArrayBuffer): () => boolean {
  const until = new Float64Array(cell);
  const began = machineMs() - performance.now();
  return () => performance.now() + began < until[0]!;
}

/** By what a host asks whether an answer may leave; undefined where every one may. */
export function boundBy(cell: SharedArrayBuffer | null, { reads }: Platform['cluster']): (() => boolean) | undefined {
  return cell === null || reads === 'local' ? undefined : readLease(cell);
}
