/** The spans of a thread, handed over to main; null where the platform file names no collector. */
import { randomBytes } from 'node:crypto';
import type { Platform } from '#config/platform.ts';
import { processMs } from '#actors/kit/trace/span.ts';
import { Spans } from '#actors/kit/trace/spans.ts';
import type { SpanBatch } from '#actors/protocol/traces.ts';

export function threadSpans({ telemetry, service }: Platform, handOver: (batch: SpanBatch) => void): Spans | null {
  if (telemetry.traces === undefined || service !== null) return null;
  return new Spans({
    now: () => processMs(performance.now()),
    random: randomBytes,
    handOver: (spans, count) => handOver({ spans, count }),
    after: (ms, run) => void setTimeout(run, ms).unref(),
  });
}
