/** What crosses between a pool and one of its threads. */
import type { MessagePort } from 'node:worker_threads';
import type { JobKind } from '#actors/kit/jobs.ts';

export interface JobThreadData {
  /** Carries the results of jobs and the questions that a job asks the host: one port, so that both keep their order. */
  readonly line: MessagePort;
  readonly cells: Int32Array<SharedArrayBuffer>;
  /** The time at which the running job began, by `process.hrtime`. */
  readonly began: BigInt64Array<SharedArrayBuffer>;
}

export interface BeginMessage {
  readonly no: number;
  /** Which cell from `HANDED` on contains the job's number until one side takes it out. */
  readonly slot: number;
  readonly kind: JobKind;
  readonly body: unknown;
}

/** An answer of the host, to the question of that number. */
export interface HostMessage {
  readonly at: number;
  readonly text: string;
}

export type ThreadMessage =
  /** `at`: the number of the question, of all that the thread has asked. Its script may have given up waiting when the answer comes, and another one may run by then. */
  | { readonly no: number; readonly ask: string; readonly at: number }
  /** `ms`: how long the job ran. */
  | { readonly no: number; readonly result: unknown; readonly ms: number };

/** Indexes of cells. `BELL` is set when an answer is on the port; `RUNNING` contains the number of the job that has begun. */
export const BELL = 0;
export const RUNNING = 1;
/** The first of two cells for handed jobs: the side that takes a job's number out of its cell, thread or host, has the job. */
export const HANDED = 2;
export const CELLS = 4;

export const SILENT = 0;
export const RUNG = 1;
