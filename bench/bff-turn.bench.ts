/** The BFF inside its host: an endpoint's response compiled, and its calls asked, awaited and arranged, with an upstream that answers at once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { arrangingOnly } from '#actors/bff/response/arranging.ts';
import { bffService } from '#actors/bff/service.ts';
import { dataService } from '#actors/data/service.ts';
import { NO_JOBS } from '#actors/kit/jobs.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { BenchCase } from './harness.ts';
import { layProduct, readProduct } from './kit/bench-product.ts';
import { functionMs, timeCalls, timeFunction } from './kit/function-bench.ts';
import { withTurns, type Asked, type Turns } from './kit/turns.ts';

const COUNTRIES = ['CH', 'DE', 'FR', 'IT', 'AT'] as const;
const ROWS = 200;
const UPSTREAM = 'http://127.0.0.1:9';
const ANSWER = { status: 200, text: '{"n":1}' };

/** Nothing leaves the thread: what is measured is the BFF's own. */
const exchange = { exchange: () => Promise.resolve(ANSWER) };

async function fill(turns: Turns): Promise<void> {
  for (let no = 0; no < ROWS; no++) {
    const body = { country: COUNTRIES[no % COUNTRIES.length]!, name: `place ${no}`, population: no };
    await turns.run({ route: 'create', method: 'POST', params: 'place', body, expect: 201, withToken: true }, true)();
  }
}

/** Compiles the response of an endpoint as a tenant that wakes does. */
function compiler({ bff = [] }: ProductDefinition): () => unknown {
  const { response, calls } = bff.find(({ name }) => name === 'five')!;
  if (response?.language !== 'jq') throw new Error('the endpoint should answer by a program');
  const names = calls.map(({ name }) => name);
  return () => arrangingOnly(response, names);
}

const endpoint = (path: string): Asked => ({
  service: 'bff',
  route: 'endpoint',
  method: 'GET',
  params: path,
  expect: 200,
  withToken: true,
});

export const bffTurn: BenchCase = {
  name: 'bff-turn',
  measures:
    'inside the host: compile of a response, an endpoint of five calls of the data service, one of two such and three outside that are answered at once',
  target: '',
  http: false,
  seconds: (options) => (4 * functionMs(options)) / 1000,
  async run({ dataDir, options }) {
    const dir = await mkdtemp(join(dataDir, 'bff-turn-'));
    layProduct(dir, UPSTREAM);
    const product = readProduct(dir);
    await rm(dir, { recursive: true });
    const bff = bffService({ version: 'bench', jobs: NO_JOBS, allowPrivate: [], exchange });
    return withTurns(dataDir, { product, services: () => [dataService(), bff] }, async (turns, drain) => {
      await fill(turns);
      await drain();
      const ms = functionMs(options);
      const five = turns.run(endpoint('five'));
      const mixed = turns.run(endpoint('slowest'));
      return [
        await timeFunction('bff-turn compile', compiler(product), ms),
        await timeCalls('bff-turn five calls inside', async () => five(), ms),
        await timeCalls('bff-turn two inside, three outside', async () => mixed(), ms),
      ];
    });
  },
};
