/** What crosses between a pool and one of its threads. */
import type { MessagePort } from 'node:worker_threads';
import type { JobKind } from '#actors/kit/jobs.ts';

export interface JobThreadData {
  /** Where a thread says that a job has ended, and where a job asks the host, and waits: one line, so that both keep their order. */
  readonly line: MessagePort;
  readonly cells: Int32Array<SharedArrayBuffer>;
  /** When the running job began, by `process.hrtime`. */
  readonly began: BigInt64Array<SharedArrayBuffer>;
}

export interface BeginMessage {
  readonly no: number;
  /** The cell, behind `HANDED`, in which its number stands until one side takes it out. */
  readonly slot: number;
  readonly kind: JobKind;
  readonly body: unknown;
}

export type ThreadMessage =
  | { readonly no: number; readonly ask: string }
  | { readonly no: number; readonly result: unknown };

/** The cells. `BELL` is rung when an answer lies on the line; `RUNNING` holds the number of the job that has begun. */
export const BELL = 0;
export const RUNNING = 1;
/** Two cells: whoever takes a job's number out of its cell, the thread or the host, has the job. */
export const HANDED = 2;
export const CELLS = 4;

export const SILENT = 0;
export const RUNG = 1;
