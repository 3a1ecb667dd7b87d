/** The spans of a thread, handed over to main; null where the platform file names no collector. */
import { randomBytes } from 'node:crypto';
import type { Platform } from '#config/platform.ts';
import { processMs } from '#actors/kit/trace/span.ts';
import { Spans } from '#actors/kit/trace/spans.ts';
import type { SpanBatch } from '#actors/protocol/traces.ts';

const POOL_BYTES = 4096;

/** Random bytes, drawn for hundreds of ids at once: a call of the generator takes some 8 µs, however few it gives. */
function pooledRandom(): (bytes: number) => Buffer {
  let pool: Buffer = Buffer.alloc(0);
  let at = 0;
  return (bytes) => {
    if (at + bytes > pool.length) {
      pool = randomBytes(POOL_BYTES);
      at = 0;
    }
    return pool.subarray(at, (at += bytes));
  };
}

export function threadSpans({ telemetry, service }: Platform, handOver: (batch: SpanBatch) => void): Spans | null {
  if (telemetry.traces === undefined || service !== null) return null;
  return new Spans({
    now: () => processMs(performance.now()),
    random: pooledRandom(),
    handOver: (spans, count) => handOver({ spans, count }),
    after: (ms, run) => void setTimeout(run, ms).unref(),
  });
}
