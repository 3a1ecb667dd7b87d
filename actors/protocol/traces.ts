/** Spans on their way from the threads to the collector, and what became of them. */

/** JSON of a list of spans (actors/kit/trace/span.ts): main passes it on unread. */
export interface SpanBatch {
  readonly spans: string;
  readonly count: number;
}

/** Why a span did not reach the collector. */
export const DROP_CAUSES = [
  /** The queue had no room. */
  'full',
  /** The collector gave no answer, or said "later", until the last attempt. */
  'undelivered',
  /** It answered that it does not take such a request. */
  'refused',
  /** It took the request, and not this span (partial success). */
  'rejected',
  /** The courier was not there to take it. */
  'lost',
] as const;
export type DropCause = (typeof DROP_CAUSES)[number];

export interface TraceReport {
  readonly exported: number;
  readonly dropped: Readonly<Partial<Record<DropCause, number>>>;
  /** Requests to the collector without success, repeated ones included. */
  readonly failures: number;
  /** Spans of the courier's own among those that it took since the last report. */
  readonly own?: number;
}
