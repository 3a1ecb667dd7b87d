/** What crosses between `piscina-jobs.ts` and its threads. */
import type { MessagePort } from 'node:worker_threads';
import type { JobKind } from '#actors/kit/jobs.ts';

/** Where the scripts of a thread ask. */
export interface ThreadLine {
  readonly line: MessagePort;
  readonly cells: Int32Array<SharedArrayBuffer>;
}

export interface PiscinaTask {
  readonly no: number;
  readonly kind: JobKind;
  readonly body: unknown;
}

/** What every thread of a pool is given: when each job began, by `process.hrtime`, in the cell of its number; 0 before. */
export interface PoolData {
  readonly began: BigInt64Array<SharedArrayBuffer>;
}

/** More cells than jobs that may wait or run. */
export const CELLS = 1024;
export const cellOf = (no: number): number => no % CELLS;
