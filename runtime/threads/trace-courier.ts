/** The courier of spans: the exporter over HTTP, to the collector of the platform file alone. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { limits } from '#config/limits.ts';
import { targetOf } from '#config/private-hosts.ts';
import type { TraceConfig } from '#config/telemetry-section.ts';
import { Exporter, NotAccepted } from '#actors/courier/traces/exporter.ts';
import { postExport } from '#actors/courier/traces/post-export.ts';
import type { ExportedBy } from '#actors/courier/traces/otlp.ts';
import { EpochOffset } from '#actors/courier/traces/epoch-offset.ts';
import type { Log } from '#actors/host/activation.ts';
import { Outbound } from '#actors/kit/outbound/outbound.ts';
import type { OutboundFault } from '#actors/kit/outbound/fault.ts';
import { wallClock } from '#actors/kit/clock.ts';
import { processMs } from '#actors/kit/trace/span.ts';
import type { TraceReport } from '#actors/protocol/traces.ts';
import { skepVersion } from '#runtime/version.ts';

/** `report` is called with what became of spans. */
export function traceCourier(traces: TraceConfig, log: Log, report: (report: TraceReport) => void): Exporter {
  const url = new URL(traces.to);
  const { hostname: host, port } = targetOf(url);
  // The platform file names the collector, so it may be private; tenants' own calls do not get to it by that.
  const outbound = new Outbound({
    allowPrivate: [host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`],
    deadlineMs: limits.traces.exportDeadlineMs,
    responseBytesMax: limits.traces.answerBytesMax,
  });
  const offset = new EpochOffset();
  const by = exportedBy(traces);
  return new Exporter({
    rules: {
      queueSpansMax: limits.traces.queueSpansMax,
      exportSpansMax: limits.traces.exportSpansMax,
      exportEveryMs: limits.traces.exportEveryMs,
      attemptsMax: limits.traces.attemptsMax,
      backoffMs: limits.traces.backoffMs,
      backoffMsMax: limits.traces.backoffMsMax,
      retryAfterMsMax: limits.traces.retryAfterMsMax,
    },
    to: url.origin + url.pathname,
    log,
    send: (spans) =>
      postExport(
        (headers, body) =>
          outbound
            .fetch(url, { method: 'POST', headers: { ...traces.headers, ...headers }, body })
            .catch((fault: OutboundFault) => {
              throw new NotAccepted(null, null, fault.message);
            }),
        spans,
        by,
        offset.at(wallClock.now(), processMs(performance.now())),
        wallClock.now(),
      ),
    report,
    after: (ms, run) => void setTimeout(run, ms).unref(),
    random: Math.random,
    monotonic: () => performance.now(),
  });
}

function exportedBy({ service_name }: TraceConfig): ExportedBy {
  return {
    version: skepVersion(),
    resource: [
      ['service.name', service_name],
      ['service.version', skepVersion()],
      ['service.instance.id', randomUUID()],
      ['host.name', hostname()],
      ['process.pid', process.pid],
    ],
  };
}
