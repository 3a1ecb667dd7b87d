/** The audit sealer's figures in the metric table, and its scrubber. Figures are sums over all logs; degraded[] and the log name a faulty one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { durationMs } from '#config/values/duration.ts';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { readOnlyFiles } from '#storage/segment/files.ts';
import type { AuditLog } from '#actors/audit/audit-log.ts';
import type { Freshness } from '#actors/audit/freshness.ts';
import type { LogBook } from '#actors/audit/log-book.ts';
import type { Log } from '#actors/host/activation.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { Meter } from '#runtime/observe/meter.ts';
import { cellOf } from '#runtime/observe/metric-table.ts';
import { Findings } from '#runtime/scrub/findings.ts';
import { LogScrub } from '#runtime/scrub/log-scrub.ts';
import { ScrubPace } from '#runtime/scrub/pace.ts';
import { scrubMeter } from '#runtime/scrub/scrub-meter.ts';

export interface AuditFigures {
  readonly book: Pick<LogBook, 'ids' | 'directoryOf' | 'signedSize' | 'opened' | 'refused'>;
  readonly synced: Freshness;
  readonly witnessed: Freshness;
}

/** Keeps the gauges up to date; gives the function that ends it. */
export function watchAudit({ book, synced, witnessed }: AuditFigures, meter: Meter): () => Promise<void> {
  meter.resetGauges();
  const lost = new LostRecords(meter);
  const all = new Serial();
  let stopped = false;
  let looks = 0;
  const look = async (): Promise<void> => {
    meter.set(cellOf('auditRefused'), book.refused.size);
    meter.set(cellOf('auditSyncAge'), synced.ageSeconds);
    meter.set(cellOf('auditWitnessAge'), witnessed.ageSeconds);
    let unsigned = 0;
    for (const opening of book.opened) {
      const log = await opening.catch(() => null); // one that refuses is counted above
      unsigned += log?.unsigned ?? 0;
      if (log !== null) lost.count(log);
    }
    meter.set(cellOf('auditUnsigned'), unsigned);
    if (looks++ % limits.audit.sizeLooks === 0) await sizes();
  };
  const sizes = async (): Promise<void> => {
    const ids = book.ids();
    let [records, bytes] = [0, 0];
    for (const id of ids) {
      if (stopped) return;
      records += book.signedSize(id);
      bytes += await segmentBytes(book.directoryOf(id));
    }
    meter.set(cellOf('auditLogs'), ids.length);
    meter.set(cellOf('auditRecords'), records);
    meter.set(cellOf('auditSegmentBytes'), bytes);
  };
  const again = (): void => {
    // Tried again a second later.
    all.run(look).catch(() => undefined);
  };
  const timer = setInterval(again, limits.audit.figuresMs).unref();
  again();
  return async () => {
    stopped = true;
    clearInterval(timer);
    await all.idle();
  };
}

/** Sums up a counter of all logs, although the counter of a log that is closed and opened again begins at 0. */
class LostRecords {
  readonly #meter: Meter;
  readonly #known = new WeakMap<AuditLog, number>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  count(log: AuditLog): void {
    const more = log.lost - (this.#known.get(log) ?? 0);
    this.#known.set(log, log.lost);
    if (more > 0) this.#meter.add(cellOf('auditLost'), more);
  }
}

async function segmentBytes(directory: string): Promise<number> {
  let bytes = 0;
  const files = readOnlyFiles(directory);
  for (const name of await files.names('segments'))
    // A segment that is pruned meanwhile counts as empty.
    if (name.endsWith('.log')) bytes += await files.size(`segments/${name}`).catch(() => 0);
  return bytes;
}

export interface LogScrubberParts {
  readonly platform: Platform;
  readonly stateDir: string;
  readonly book: LogBook;
  readonly meter: Meter;
  readonly degraded: Degraded;
  readonly log: Log;
}

/** Starts the scrubber, which is ended by its `stop`; null where `storage.scrub_percent` is 0. */
export function startLogScrub(parts: LogScrubberParts): LogScrub | null {
  const { book, degraded, log, meter, platform, stateDir } = parts;
  const { scrub_percent: percent, scrub_every } = platform.storage;
  if (percent === 0) return null;
  const figures = scrubMeter(meter);
  const pace = new ScrubPace({
    percent,
    fine: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, { ref: false, signal }).catch(() => undefined),
    yieldLoop: nextTurn,
    isBusy: () => false,
  });
  const findings = new Findings({ log, degraded, gauge: figures.fault });
  const everyMs = durationMs(scrub_every);
  const scrub = new LogScrub({ stateDir, book, pace, findings, looks: figures, clock: systemClock, everyMs, log });
  const age = cellOf('scrubAge');
  setInterval(() => meter.set(age, scrub.ageSeconds), limits.scrub.lookMs).unref();
  scrub.start();
  return scrub;
}
