/** What crosses between a pool and one of its threads. */
import type { MessagePort } from 'node:worker_threads';
import type { JobKind } from '#actors/kit/jobs.ts';

export interface JobThreadData {
  /** The line on which a job asks the host, and waits. */
  readonly line: MessagePort;
  /** Rung when an answer lies on the line. */
  readonly bell: Int32Array<SharedArrayBuffer>;
}

export interface BeginMessage {
  readonly no: number;
  readonly kind: JobKind;
  readonly body: unknown;
}

export type ThreadMessage =
  /** The budget counts from here: what the job needs is loaded. */
  | { readonly no: number; readonly part: 'started' }
  | { readonly no: number; readonly part: 'ended'; readonly result: unknown };

export const SILENT = 0;
export const RUNG = 1;
