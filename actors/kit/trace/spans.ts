/**
 * The spans of one thread until it hands them over: by number or after a while, so that the list has a bound. Only sampled requests get here.
 */
import { limits } from '#config/limits.ts';
import type { Span } from './span.ts';

export interface SpansPorts {
  /** Milliseconds of the clock that all threads share. */
  now(): number;
  /** Random bytes. */
  random(bytes: number): Buffer;
  /** Hands over JSON of a list of spans. It never waits and never throws. */
  handOver(spans: string, count: number): void;
  /** Runs a function after so many milliseconds; it keeps no thread alive. */
  after(ms: number, run: () => void): void;
}

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

export class Spans {
  readonly #ports: SpansPorts;
  readonly #flush = (): void => {
    this.#isScheduled = false;
    this.flush();
  };
  #waiting: Span[] = [];
  #isScheduled = false;

  constructor(ports: SpansPorts) {
    this.#ports = ports;
  }

  now(): number {
    return this.#ports.now();
  }

  traceId(): string {
    return this.#idOf(TRACE_BYTES);
  }

  spanId(): string {
    return this.#idOf(SPAN_BYTES);
  }

  add(span: Span): void {
    this.#waiting.push(span);
    if (this.#waiting.length >= limits.traces.handOverSpans) this.flush();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#ports.after(limits.traces.handOverMs, this.#flush);
    }
  }

  /** Hands over what waits. */
  flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#ports.handOver(JSON.stringify(waiting), waiting.length);
  }

  /** An id of zeros means none (W3C Trace Context §3.2.2.3). */
  #idOf(bytes: number): string {
    const drawn = this.#ports.random(bytes);
    if (drawn.every((byte) => byte === 0)) drawn[0] = 1;
    return drawn.toString('hex');
  }
}
