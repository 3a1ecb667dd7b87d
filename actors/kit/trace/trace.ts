/** A place in a trace: a span that is under way on this thread, below which others begin. It exists for sampled requests only. */
import { limits } from '#config/limits.ts';
import { INTERNAL_SPAN, type Attributes, type Span, type SpanKind } from './span.ts';
import type { Spans } from './spans.ts';
import { writeTraceparent } from './trace-context.ts';

/** What the spans of one request on one thread share. */
interface Shared {
  readonly spans: Spans;
  readonly traceId: string;
  readonly tracestate: string;
  left: number;
  leftOut: number;
}

/** What a span is, besides its place. */
export interface SpanFacts {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly error?: string | null;
  readonly attributes?: Attributes;
}

/** Of one list for all: most spans have none. */
const NONE: Attributes = [];

export class Trace {
  readonly spanId: string;
  readonly #shared: Shared;
  readonly #parentId: string;
  readonly #startMs: number;
  #about: Attributes = NONE;

  private constructor(shared: Shared, parentId: string, spanId: string, startMs: number) {
    this.#shared = shared;
    this.#parentId = parentId;
    this.spanId = spanId;
    this.#startMs = startMs;
  }

  /** The first span of a request on this thread, below one of another thread. */
  static under(spans: Spans, traceId: string, parentId: string, tracestate: string): Trace {
    const shared = { spans, traceId, tracestate, left: limits.traces.requestSpansMax, leftOut: 0 };
    return new Trace(shared, parentId, spans.spanId(), spans.now());
  }

  get traceId(): string {
    return this.#shared.traceId;
  }

  get tracestate(): string {
    return this.#shared.tracestate;
  }

  /** For a request that this span sends: its receiver's spans are below it. */
  get traceparent(): string {
    return writeTraceparent(this.#shared.traceId, this.spanId);
  }

  get startMs(): number {
    return this.#startMs;
  }

  /** Spans of the request that were left out, because it had too many. */
  get leftOut(): number {
    return this.#shared.leftOut;
  }

  now(): number {
    return this.#shared.spans.now();
  }

  /** Says more of this span: a declared thing that it carries out. */
  about(name: string, value: string | number): void {
    this.#about = [...this.#about, [name, value]];
  }

  /** Begins a span below this one. */
  begin(): Trace {
    const { spans } = this.#shared;
    return new Trace(this.#shared, this.spanId, spans.spanId(), spans.now());
  }

  /** Ends this span. A request has only so many; its own is always kept. */
  end(name: string, error: string | null = null, attributes: Attributes = NONE, kind: SpanKind = INTERNAL_SPAN): void {
    const { startMs, spanId } = this;
    this.#add(this.#parentId, spanId, {
      name,
      kind,
      startMs,
      endMs: this.now(),
      error,
      attributes: [...this.#about, ...attributes],
    });
  }

  /** A span below this one that is over. */
  add(facts: SpanFacts): void {
    this.#add(this.spanId, this.#shared.spans.spanId(), facts);
  }

  /** The span with which the request ends on this thread. */
  close(facts: SpanFacts): void {
    this.#shared.left = Math.max(this.#shared.left, 1);
    this.#add(this.#parentId, this.spanId, { ...facts, attributes: [...this.#about, ...(facts.attributes ?? NONE)] });
  }

  #add(parentId: string, spanId: string, facts: SpanFacts): void {
    const shared = this.#shared;
    if (shared.left === 0) {
      shared.leftOut++;
      return;
    }
    shared.left--;
    const { traceId, tracestate } = shared;
    const { name, kind = INTERNAL_SPAN, startMs, endMs, error = null, attributes = NONE } = facts;
    const span: Span = {
      traceId,
      spanId,
      parentId,
      isRemote: false,
      tracestate,
      name: cut(name),
      kind,
      startMs,
      endMs,
      error,
      attributes: attributes.map(([key, value]) => [key, typeof value === 'string' ? cut(value) : value] as const),
      link: null,
    };
    shared.spans.add(span);
  }
}

const cut = (text: string): string => text.slice(0, limits.traces.textCharsMax);

/** Does the work within a span of this name, if there is a trace. `errorOf` names what went wrong in an outcome that is no exception. */
export function traced<T>(
  trace: Trace | null,
  name: string,
  run: () => T,
  errorOf: (outcome: Awaited<T>) => string | null = none,
): T {
  if (trace === null) return run();
  const span = trace.begin();
  const settle = (outcome: Awaited<T>): Awaited<T> => {
    span.end(name, errorOf(outcome));
    return outcome;
  };
  const fail = (error: unknown): never => {
    span.end(name, 'fault');
    throw error;
  };
  let outcome: T;
  try {
    outcome = run();
  } catch (error) {
    return fail(error);
  }
  return (outcome instanceof Promise ? outcome.then(settle, fail) : settle(outcome as Awaited<T>)) as T;
}

const none = (): null => null;
