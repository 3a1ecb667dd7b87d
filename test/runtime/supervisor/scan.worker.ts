/** Uses an LMDB environment in one way, again and again, until it is ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { nativeGuardOf, type EndCells } from '#runtime/supervisor/end-guard.ts';
import { openEnvironment, type Write } from '#storage/environment.ts';
import { guardNative } from '#storage/native-guard.ts';

export type Use = 'commits' | 'reads' | 'scans';

const { cells, path, use } = workerData as { cells: EndCells; path: string; use: Use };
guardNative(nativeGuardOf(cells));
const onFatal = (error: Error): never => {
  throw error;
};
const environment = openEnvironment(path, { onFatal });
const writes = ['a', 'b', 'c'].map((key): Write => [key, Buffer.from(key)]);
await environment.commit(writes);

/** Cursors: one of the environment that is open beside another, one that runs to its end, and those of a snapshot. */
function scan(): void {
  const snapshot = environment.snapshot();
  for (const place of [environment, snapshot]) {
    const outer = place.range('a', 'd');
    outer.next();
    for (const entry of place.range('a', 'd')) if (entry.key === '') throw new Error('an entry without a key');
    outer.return!();
    place.get('a');
  }
  snapshot.close();
}

const USES: Readonly<Record<Use, () => unknown>> = {
  commits: () => environment.commit(writes),
  reads: () => environment.get('a'),
  scans: scan,
};
parentPort!.postMessage('up');
for (;;)
  if (use === 'commits') await USES.commits();
  else USES[use]();
