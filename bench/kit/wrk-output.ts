/** What one run of wrk measured, read from the line that load-script.ts makes it print. */
import { OUTPUT_MARK } from './load-script.ts';
import type { Usage } from './watch.ts';

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Bytes received, heads included. */
  readonly bytes: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** Requests that failed below HTTP: connect, read, write, timeout. */
  readonly socketErrors: number;
  /** Answers of status 400 and above. */
  readonly statusErrors: number;
  /** What was busy meanwhile, and the threads that the load had. */
  readonly usage?: Usage;
  readonly threads?: number;
}

interface Printed {
  readonly requests: number;
  readonly micros: number;
  readonly bytes: number;
  readonly errors: Readonly<Record<'connect' | 'read' | 'write' | 'timeout' | 'status', number>>;
  readonly latency: Readonly<Record<'p50' | 'p90' | 'p99' | 'p999' | 'max', number>>;
}

/** Throws with what wrk said when the line is missing: it did not finish. */
export function parseWrkOutput(output: string): LoadResult {
  const line = output.split('\n').find((text) => text.startsWith(OUTPUT_MARK));
  if (line === undefined) throw new Error(`wrk printed no result: ${output.trim() || 'nothing'}`);
  const { requests, micros, bytes, errors, latency } = JSON.parse(line.slice(OUTPUT_MARK.length)) as Printed;
  const seconds = micros / 1e6;
  return {
    requests,
    seconds,
    perSecond: requests / seconds,
    bytes,
    p50Ms: latency.p50 / 1000,
    p90Ms: latency.p90 / 1000,
    p99Ms: latency.p99 / 1000,
    p999Ms: latency.p999 / 1000,
    maxMs: latency.max / 1000,
    socketErrors: errors.connect + errors.read + errors.write + errors.timeout,
    statusErrors: errors.status,
  };
}

/**
 * Requests that were not answered as expected. wrk only separates statuses from 400 on from those below, so a load that
 * expects a refusal counts the answers that were none; the probe before each run checks the exact status.
 */
export function unexpected(result: LoadResult, expectedStatus: number): number {
  const wrong = expectedStatus < 400 ? result.statusErrors : result.requests - result.statusErrors;
  return result.socketErrors + wrong;
}
