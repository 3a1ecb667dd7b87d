/** A tenant woken inside its host: every service's part of it built, of definitions that are loaded, and of a checkout that is read first. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bffService } from '#actors/bff/service.ts';
import { dataService } from '#actors/data/service.ts';
import { identityService } from '#actors/identity/service.ts';
import { NO_JOBS } from '#actors/kit/jobs.ts';
import type { BenchCase } from './harness.ts';
import { benchContent } from './kit/bench-content.ts';
import { layProduct, readProduct } from './kit/bench-product.ts';
import { functionMs, timeCalls, timeFunction } from './kit/function-bench.ts';
import { withTurns, type TurnsWish } from './kit/turns.ts';

/** All that a tenant host has. */
const services: TurnsWish['services'] = (context, at) => [
  identityService({ context, bootstrapToken: null }),
  dataService(),
  benchContent(at),
  bffService({ version: 'bench', jobs: NO_JOBS, allowPrivate: [] }),
];

export const activation: BenchCase = {
  name: 'activation',
  measures: 'a cold tenant woken inside its host, with definitions that are loaded, and the reading of its checkout',
  target: '',
  http: false,
  seconds: (options) => (3 * functionMs(options)) / 1000,
  async run({ dataDir, options }) {
    const dir = await mkdtemp(join(dataDir, 'activation-'));
    layProduct(dir, 'http://127.0.0.1:9');
    try {
      const product = readProduct(dir);
      return await withTurns(dataDir, { product, services }, async (turns) => {
        const ms = functionMs(options);
        return [
          await timeCalls('activation', () => turns.wakeAnother(product), ms, 'its first request comes on top'),
          await timeFunction('activation, checkout read', () => readProduct(dir), ms, 'once a thread and checkout'),
        ];
      });
    } finally {
      await rm(dir, { recursive: true });
    }
  },
};
