/** The vault's figures in the metric table: counters that it calls, and gauges that are kept up to date here. */
import type { Keeper } from '#actors/vault/keeper.ts';
import type { VaultMeter } from '#actors/vault/meter.ts';
import { METRICS } from '#runtime/observe/metric-rows.ts';
import { histogramOf, type Meter } from '#runtime/observe/meter.ts';
import { cellOf } from '#runtime/observe/metric-table.ts';

const GAUGES_MS = 1000;

export function vaultMeter(meter: Meter): VaultMeter {
  const methods = METRICS.vaultRequests.labels.http_request_method;
  const durations = new Map<string, ReturnType<typeof histogramOf>>(
    methods.map((method) => [method, histogramOf('vaultRequests', method)]),
  );
  return {
    count: (action, outcome) => meter.add(cellOf('vaultOperations', action, outcome)),
    answered: (method, seconds) => {
      const histogram = durations.get(method);
      if (histogram !== undefined) meter.observe(histogram, seconds);
    },
    seconds: () => performance.now() / 1000,
  };
}

/** Keeps the gauges up to date; gives the function that ends it. */
export function watchVault({ parts }: Keeper, meter: Meter): () => void {
  const [sealed, pending, up] = [cellOf('vaultSealed'), cellOf('vaultEventsPending'), cellOf('vaultBackendUp')];
  const dropped = cellOf('vaultEventsDropped');
  let told = 0;
  const look = async (): Promise<void> => {
    meter.set(sealed, parts.seal.state === 'sealed' ? 1 : 0);
    meter.set(pending, parts.events.pending);
    meter.add(dropped, parts.events.dropped - told);
    told = parts.events.dropped;
    meter.set(up, (await parts.store.healthy()).ok ? 1 : 0);
  };
  void look();
  const timer = setInterval(() => void look(), GAUGES_MS).unref();
  return () => clearInterval(timer);
}
