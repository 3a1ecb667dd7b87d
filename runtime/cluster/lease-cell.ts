/** The end of the node's lease in memory that its threads share: main renews it, and hosts ask it for each answer, which costs one comparison. */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { ConfirmRounds } from './confirm-rounds.ts';

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

/** What a host asks before an answer leaves: its node's lease, a round to the log, which is main's, or nothing (`cluster.reads`). */
export function answersBy(
  cell: SharedArrayBuffer | null,
  { reads }: Platform['cluster'],
  main: Pick<Channel, 'ask'>,
): { readonly mayAnswer?: () => boolean; readonly confirms?: () => Promise<boolean> } {
  if (cell === null || reads === 'local') return {};
  if (reads === 'lease') return { mayAnswer: readLease(cell) };
  const rounds = new ConfirmRounds(() => main.ask('cluster.confirm', null), limits.cluster.confirmWaitingMax);
  return { confirms: () => rounds.ask() };
}

/** By what a host that claims shards knows that no other node has made the epoch which it has just seen. */
export function mayClaimBy(
  cell: SharedArrayBuffer,
  { reads }: Platform['cluster'],
  main: Pick<Channel, 'ask'>,
): () => boolean | Promise<boolean> {
  return reads === 'confirmed' ? () => main.ask('cluster.confirm', null) : readLease(cell);
}
