/** A span as it crosses threads and is exported: one operation of a traced request. Plain data of one shape. */

/** The kinds of OTLP (opentelemetry/proto/trace/v1/trace.proto, SpanKind). */
export const INTERNAL_SPAN = 1;
export const SERVER_SPAN = 2;
export const CLIENT_SPAN = 3;
export const CONSUMER_SPAN = 5;
export type SpanKind = typeof INTERNAL_SPAN | typeof SERVER_SPAN | typeof CLIENT_SPAN | typeof CONSUMER_SPAN;

/** Names from the semantic conventions of OpenTelemetry, or `skep.…`; values that the node declares, counts or measures, never what a caller sent. */
export type Attributes = readonly (readonly [name: string, value: string | number])[];

export interface Span {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits, as `parentId`; that is '' for the first span of a trace. */
  readonly spanId: string;
  readonly parentId: string;
  /** The parent is another process. */
  readonly isRemote: boolean;
  readonly tracestate: string;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds of the process's monotonic clock (`processMs`). */
  readonly startMs: number;
  readonly endMs: number;
  /** What went wrong, as a declared word (a status, a refusal, a reason); null when nothing did. */
  readonly error: string | null;
  readonly attributes: Attributes;
  /** Another span, of another trace, that led to this one: `[traceId, spanId]`. */
  readonly link: readonly [traceId: string, spanId: string] | null;
}

/** Looks at both clocks, of which the closest counts: a thread that waits for its core between the two would be off by as long. */
const LOOKS = 8;

/** When the thread began on the monotonic clock that all threads share: `performance.now()` of each begins then. */
const beganMs = begun();

function begun(): number {
  let [closestMs, began] = [Infinity, 0];
  for (let look = 0; look < LOOKS; look++) {
    const before = processNow();
    const thread = performance.now();
    const after = processNow();
    if (after - before >= closestMs) continue;
    closestMs = after - before;
    began = (before + after) / 2 - thread;
  }
  return began;
}

function processNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** An instant of this thread's `performance.now()` on the clock of the process. */
export const processMs = (threadMs: number): number => threadMs + beganMs;
