/** Reads a node's metrics from its operations listener. */

export type Metrics = ReadonlyMap<string, number>;

/** Values by series, as they are written. */
export async function metricsOf(operations: string): Promise<Metrics> {
  const text = await (await fetch(`${operations}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** The series of a name, whatever their labels: the largest of them. */
export const largest = (metrics: Metrics, name: string): number =>
  Math.max(0, ...[...metrics].filter(([series]) => series.startsWith(`${name}{`)).map(([, value]) => value));

/** Waits until LMDB has everything that was journalled: what follows is not measured beside an import's rest. */
export async function settled(operations: string): Promise<void> {
  const deadline = performance.now() + SETTLED_MS_MAX;
  while (largest(await metricsOf(operations), 'skep_lmdb_lag_records') > 0) {
    if (performance.now() > deadline) throw new Error('LMDB did not follow');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** The gauges are set once a second. */
const LOOK_MS = 1100;
const SETTLED_MS_MAX = 120_000;
