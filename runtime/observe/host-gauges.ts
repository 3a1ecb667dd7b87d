/** Keeps a tenant host's figures in the metric table, once a second. */
import type { Archive } from '#storage/archive.ts';
import type { Host } from '#actors/host/host.ts';
import { watchLoopDelay } from './loop-delay.ts';
import { histogramOf } from './meter.ts';
import type { Histogram, Meter } from './meter.ts';
import { cellOf } from './metric-table.ts';

const EVERY_MS = 1000;

/** Starts watching; the timers do not keep the thread alive. */
export function watchHost(meter: Meter, host: Host, archive: Archive): void {
  const cells = {
    waiting: cellOf('mailboxDepth'),
    awake: cellOf('activations'),
    syncs: cellOf('journalSyncs'),
    bytes: cellOf('journalBytes'),
    overlay: cellOf('overlayEntries'),
    lag: cellOf('lmdbLag'),
  };
  meter.resetGauges();
  watchLoopDelay(meter);
  let before = archive.stats().journal;
  setInterval(() => {
    const { journal, overlayEntries, shards } = archive.stats();
    meter.add(cells.syncs, journal.syncs - before.syncs);
    meter.add(cells.bytes, journal.bytes - before.bytes);
    before = journal;
    meter.set(cells.waiting, host.waiting);
    meter.set(cells.awake, host.awake);
    meter.set(cells.overlay, overlayEntries);
    meter.set(
      cells.lag,
      Object.values(shards).reduce((sum, shard) => sum + shard.lag, 0),
    );
  }, EVERY_MS).unref();
}

/** Takes the duration of a turn. */
export function turnObserver(meter: Meter): (service: string, ms: number) => void {
  const histograms = new Map<string, Histogram>();
  return (service, ms) => {
    let histogram = histograms.get(service);
    if (histogram === undefined) histograms.set(service, (histogram = histogramOf('turnSeconds', service)));
    meter.observe(histogram, ms / 1000);
  };
}
