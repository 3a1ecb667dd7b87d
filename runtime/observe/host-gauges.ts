/** Keeps a tenant host's gauges in the metric table, once a second. */
import type { Archive } from '#storage/archive.ts';
import type { Log } from '#actors/host/activation.ts';
import { SUBSCRIBER_KINDS, type LiveCounts } from '#actors/data/live-counts.ts';
import type { Host } from '#actors/host/host.ts';
import { watchHeap } from './heap-size.ts';
import { watchLoopDelay } from './loop-delay.ts';
import { histogramOf, type Histogram, type Meter } from './meter.ts';
import { cellOf } from './metric-table.ts';

const EVERY_MS = 1000;

export interface WatchedHost {
  readonly host: Host;
  readonly archive: Archive;
  readonly jobs: { readonly running: number; readonly waiting: number };
  readonly live: LiveCounts;
  /** Events that wait for the audit log. */
  readonly events: { readonly waiting: number };
}

/** Starts watching; the timers do not keep the thread alive. */
export function watchHost(meter: Meter, { host, archive, jobs, live, events }: WatchedHost): void {
  const cells = {
    waiting: cellOf('mailboxDepth'),
    awake: cellOf('activations'),
    syncs: cellOf('journalSyncs'),
    bytes: cellOf('journalBytes'),
    overlay: cellOf('overlayEntries'),
    lag: cellOf('lmdbLag'),
    events: cellOf('auditWaiting'),
    jobsRunning: cellOf('jobsRunning'),
    jobsWaiting: cellOf('jobsWaiting'),
    members: cellOf('channelMembers'),
  };
  const subscribers = SUBSCRIBER_KINDS.map((kind) => [kind, cellOf('subscribers', kind)] as const);
  meter.resetGauges();
  watchLoopDelay(meter);
  watchHeap(meter);
  let before = archive.stats().journal;
  setInterval(() => {
    const { journal, overlayEntries, shards } = archive.stats();
    meter.add(cells.syncs, journal.syncs - before.syncs);
    meter.add(cells.bytes, journal.bytes - before.bytes);
    before = journal;
    meter.set(cells.waiting, host.waiting);
    meter.set(cells.awake, host.awake);
    meter.set(cells.overlay, overlayEntries);
    meter.set(cells.events, events.waiting);
    meter.set(cells.jobsRunning, jobs.running);
    meter.set(cells.jobsWaiting, jobs.waiting);
    meter.set(cells.members, live.members);
    for (const [kind, cell] of subscribers) meter.set(cell, live.subscribers[kind]);
    meter.set(
      cells.lag,
      Object.values(shards).reduce((sum, shard) => sum + shard.lag, 0),
    );
  }, EVERY_MS).unref();
}

/** Logs, once, each end of an earlier journal that was cut when the archive opened. Each host reads all journals and logs its own reading. */
export function tellCuts(log: Log, meter: Meter, archive: Archive): void {
  const { cuts } = archive.stats();
  if (cuts.length > 0) meter.add(cellOf('journalCuts'), cuts.length);
  for (const { path, at, bytes, next } of cuts)
    log.warn(
      { journal: path, at, bytes, next },
      'a journal ended in a write that was under way and was cut there: nothing of it had been acknowledged; nothing is to be done after a crash or a power cut, otherwise check the disk',
    );
}

/** Logs damage to an earlier journal that lost nothing: the disk needs a check all the same. */
export function tellHarmless(log: Log, archive: Archive): void {
  for (const { journal, what } of archive.stats().harmless)
    log.warn(
      { journal, what },
      'a journal is damaged where every shard had its records already: nothing is lost, but check the disk',
    );
}

/** Records the duration of a journal's synchronisation. */
export function syncObserver(meter: Meter): (ms: number) => void {
  const histogram = histogramOf('journalSyncSeconds');
  return (ms) => meter.observe(histogram, ms / 1000);
}

/** Records the duration of a turn. */
export function turnObserver(meter: Meter): (service: string, ms: number) => void {
  const histograms = new Map<string, Histogram>();
  return (service, ms) => {
    let histogram = histograms.get(service);
    if (histogram === undefined) histograms.set(service, (histogram = histogramOf('turnSeconds', service)));
    meter.observe(histogram, ms / 1000);
  };
}
