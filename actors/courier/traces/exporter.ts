/**
 * Sends spans to the collector, one request at a time (OTLP/HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp).
 *   queue, full: the newest are dropped ─▶ one batch ─▶ sent ─▶ the next
 *                                             ├─ 429, 502, 503, 504, no answer: again after Retry-After, or after longer and longer waits
 *                                             └─ any other answer, and the last attempt: the batch is dropped
 * No request waits for it and none fails by it. What is dropped is counted by its cause.
 */
import { DelegateBackoff, handleWhen, retry } from 'cockatiel';
import { OneForMany } from '#actors/kit/one-for-many.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Span } from '#actors/kit/trace/span.ts';
import type { TraceReport } from '#actors/protocol/traces.ts';
import type { PartialSuccess } from './otlp.ts';

export interface ExporterRules {
  readonly queueSpansMax: number;
  readonly exportSpansMax: number;
  readonly exportEveryMs: number;
  readonly attemptsMax: number;
  readonly backoffMs: number;
  readonly backoffMsMax: number;
  readonly retryAfterMsMax: number;
}

/** The collector did not accept a batch. */
export class NotAccepted extends Error {
  /** Null without an answer. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;

  constructor(status: number | null, retryAfterMs: number | null, message: string) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface ExporterPorts {
  readonly rules: ExporterRules;
  /** For messages: where it sends to, without credentials. */
  readonly to: string;
  readonly log: Log;
  /** Sends one batch, within a deadline; rejects with NotAccepted. */
  send(spans: readonly Span[]): Promise<PartialSuccess | null>;
  /** Called with what happened since the last report. */
  report(report: TraceReport): void;
  after(ms: number, run: () => void): void;
  /** From 0 to 1. */
  random(): number;
  /** Milliseconds, monotonic. */
  monotonic(): number;
}

const LINE_EVERY_MS = 60_000;
/** OTLP/HTTP, "Retryable Response Codes". */
const PASSING: ReadonlySet<number | null> = new Set([null, 429, 502, 503, 504]);

export class Exporter {
  readonly #ports: ExporterPorts;
  readonly #stop = new AbortController();
  readonly #lines = new OneForMany(LINE_EVERY_MS);
  #queue: Span[] = [];
  #isScheduled = false;
  #sending: Promise<void> | null = null;

  constructor(ports: ExporterPorts) {
    this.#ports = ports;
  }

  /** Spans that wait to be sent. */
  get depth(): number {
    return this.#queue.length;
  }

  /** Takes spans, as many as have room; `own`: so many of them are of this thread, and main knows nothing of them. */
  offer(spans: readonly Span[], own = 0): void {
    if (own > 0) this.#ports.report({ exported: 0, dropped: {}, failures: 0, own });
    const { queueSpansMax, exportSpansMax, exportEveryMs } = this.#ports.rules;
    const room = Math.max(0, queueSpansMax - this.#queue.length);
    this.#queue.push(...spans.slice(0, room));
    if (spans.length > room) this.#dropped('full', spans.length - room);
    if (this.#sending !== null) return;
    if (this.#queue.length >= exportSpansMax) this.#begin();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#ports.after(exportEveryMs, () => {
        this.#isScheduled = false;
        if (this.#sending === null) this.#begin();
      });
    }
  }

  /** Sends what waits, each batch once more at most, and sends nothing afterwards. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
    await this.#all();
  }

  #begin(): void {
    this.#sending = this.#all().finally(() => (this.#sending = null));
  }

  async #all(): Promise<void> {
    while (this.#queue.length > 0) await this.#one(this.#queue.splice(0, this.#ports.rules.exportSpansMax));
  }

  async #one(batch: readonly Span[]): Promise<void> {
    try {
      const partial = await this.#tries(batch);
      const rejected = Math.min(batch.length, partial?.rejected ?? 0);
      this.#ports.report({ exported: batch.length - rejected, dropped: { rejected }, failures: 0 });
      if (partial !== null) this.#warn({ rejected, answer: shown(partial.message) }, REJECTED);
    } catch (error) {
      const { message } = error as Error;
      const status = error instanceof NotAccepted ? error.status : null;
      this.#dropped(PASSING.has(status) ? 'undelivered' : 'refused', batch.length);
      this.#warn({ dropped: batch.length, status, error: shown(message) }, DROPPED);
    }
  }

  #tries(batch: readonly Span[]): Promise<PartialSuccess | null> {
    const { rules } = this.#ports;
    const signal = this.#stop.signal;
    const once = (): Promise<PartialSuccess | null> => this.#attempt(batch);
    if (signal.aborted) return once();
    const again = retry(
      handleWhen((error) => !signal.aborted && error instanceof NotAccepted && PASSING.has(error.status)),
      {
        maxAttempts: rules.attemptsMax - 1,
        backoff: new DelegateBackoff<{ attempt: number; result: object }>(({ attempt, result }) =>
          this.#waitMs(attempt, 'error' in result ? result.error : null),
        ),
      },
    );
    return again.execute(once, signal);
  }

  async #attempt(batch: readonly Span[]): Promise<PartialSuccess | null> {
    try {
      return await this.#ports.send(batch);
    } catch (error) {
      this.#ports.report({ exported: 0, dropped: {}, failures: 1 });
      this.#warn({ error: shown((error as Error).message) }, UNREACHED);
      throw error;
    }
  }

  /** What the collector asks for, within a bound; else longer each time, with a jitter, so that nodes do not come back together. */
  #waitMs(attempt: number, error: unknown): number {
    const { backoffMs, backoffMsMax, retryAfterMsMax } = this.#ports.rules;
    const asked = error instanceof NotAccepted ? error.retryAfterMs : null;
    if (asked !== null) return Math.min(asked, retryAfterMsMax);
    return Math.min(backoffMs * 2 ** (attempt - 1), backoffMsMax) * (0.5 + this.#ports.random() / 2);
  }

  #dropped(cause: keyof TraceReport['dropped'], spans: number): void {
    this.#ports.report({ exported: 0, dropped: { [cause]: spans }, failures: 0 });
  }

  /** One line a minute, whatever happens meanwhile. */
  #warn(facts: object, message: string): void {
    const due = this.#lines.seen(this.#ports.monotonic());
    if (due !== null) this.#ports.log.warn({ to: this.#ports.to, ...facts, left_out: due.since - 1 }, message);
  }
}

const UNREACHED =
  'the collector of traces did not take spans: they are sent again, and dropped with a count when it stays so; requests are served as before. Check telemetry.traces.to and that the collector runs';
const DROPPED =
  'spans were dropped, since the collector of traces did not take them; requests are served as before. Check telemetry.traces.to, its headers, and the log of the collector';
const REJECTED = 'the collector of traces rejected some spans of a request that it took: its answer says why';

/** Text of another party: no line ends, and bounded. */
const shown = (text: string): string => text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 200);
