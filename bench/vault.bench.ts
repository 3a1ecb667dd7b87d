/** The vault: a secret read inside the keeper, out of LMDB, two envelopes opened (target: under 100 µs). */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '#actors/kit/clock.ts';
import { Barrier } from '#actors/vault/seal/barrier.ts';
import { Seal } from '#actors/vault/seal/seal.ts';
import { Secrets } from '#actors/vault/secret/secrets.ts';
import { openLmdbVault } from '#storage/vault/lmdb.ts';
import type { BenchCase } from './harness.ts';
import { functionMs } from './kit/function-bench.ts';
import { timesOf } from './kit/stats.ts';

const SECRETS = 1000;
const VALUE_BYTES = 64;
const READ_MS_MAX = 0.1;
const STRIDE = 489;

export const vaultRead: BenchCase = {
  name: 'vault-read',
  measures: `a secret of ${VALUE_BYTES} bytes read inside the keeper, of ${SECRETS}`,
  target: 'p50 ≤ 100 µs',
  http: false,
  seconds: (options) => functionMs(options) / 1000,
  async run({ options, dataDir }) {
    const directory = await mkdtemp(join(dataDir, 'vault-'));
    const store = await openLmdbVault(directory, {
      onFatal: (error) => {
        throw error;
      },
    });
    const seal = new Seal(store, 'sealed');
    const barrier = new Barrier({ store, seal, random: randomBytes });
    const secrets = new Secrets({ store, barrier, clock: systemClock, random: randomBytes });
    await seal.unseal(randomBytes(32), null);
    const place = (no: number) => ({ scope: 'acme:atlas:dev:main', name: `app/secret-${no}` });
    await Promise.all(
      Array.from({ length: SECRETS }, (_, no) => secrets.write(place(no), randomBytes(VALUE_BYTES), 'bench', null)),
    );
    const took = await timeReads(secrets, place, functionMs(options));
    await store.close();
    await rm(directory, { recursive: true });
    const times = timesOf(took);
    return [
      {
        name: 'vault-read',
        unit: 'op/s',
        value: 1000 / times.p50Ms,
        ...times,
        errors: 0,
        target: { of: 'p50Ms', bound: 'max', than: READ_MS_MAX },
      },
    ];
  },
};

async function timeReads(
  secrets: Secrets,
  place: (no: number) => { readonly scope: string; readonly name: string },
  ms: number,
): Promise<number[]> {
  const took: number[] = [];
  const from = performance.now();
  for (let no = 0; performance.now() - from < ms; no = (no + STRIDE) % SECRETS) {
    const began = performance.now();
    const found = await secrets.read(place(no), null);
    took.push(performance.now() - began);
    if (found === null || !('value' in found)) throw new Error('a secret is missing');
  }
  return took;
}
