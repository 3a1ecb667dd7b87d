/** Jobs from host to thread and back: the product's pool and the `piscina` package, alternating in this process. */
import type { JobEnd, JobKinds, Jobs, ScriptJob } from '#actors/kit/jobs.ts';
import { limits } from '#config/limits.ts';
import { JobPool } from '#runtime/jobs/pool.ts';
import { startJobThread } from '#runtime/jobs/worker-thread.ts';
import type { BenchCase } from './harness.ts';
import { ratioOf, type Figure, type Pair } from './kit/figure.ts';
import { functionMs } from './kit/function-bench.ts';
import { PiscinaJobs } from './kit/piscina-jobs.ts';
import { median } from './kit/stats.ts';

const ROUNDS = 21;
const IN_FLIGHT = [1, 16, 64] as const;
const BUDGET_MS = 2000;

const SCRIPT: ScriptJob = {
  source: 'return db.get("item", "1");',
  name: 'bench.js',
  request: '{}',
  functions: ['db.get'],
  memoryBytesMax: limits.scripts.memoryBytesMax,
  timeMsMax: limits.scripts.timeMsMax,
  nestedMax: 0,
};
const ROWS = { data: Array.from({ length: 20 }, (_, id) => ({ id: `row${id}`, name: `name ${id}`, price: id })) };
const JQ: JobKinds['jq.run']['body'] = {
  source: '[.data[]|select(.price>10)|{id,name}]',
  text: JSON.stringify(ROWS),
  fast: true,
};

type Call = (jobs: Jobs) => Promise<JobEnd<{ readonly kind: string }>>;

const CALLS: Readonly<Record<string, Call>> = {
  'jobs script that asks once': (jobs) => jobs.run('script', SCRIPT, BUDGET_MS, () => '{"value":{"id":"1"}}'),
  'jobs jq': (jobs) => jobs.run('jq.run', JQ, BUDGET_MS),
};

const count = Object.keys(CALLS).length * IN_FLIGHT.length;

export const jobs: BenchCase = {
  name: 'jobs',
  measures: `a job to its thread and back, one thread, 1 to ${IN_FLIGHT.at(-1)} in flight; beside it the piscina package, ${ROUNDS} rounds of both`,
  target: '',
  http: false,
  seconds: (options) => (2.5 * count * functionMs(options)) / 1000,
  async run({ options }) {
    const ours = new JobPool({ threads: () => 1, start: () => startJobThread(() => undefined) });
    const theirs = new PiscinaJobs(1);
    try {
      const figures: Figure[] = [];
      for (const [name, call] of Object.entries(CALLS))
        for (const inFlight of IN_FLIGHT) {
          const rate = (side: Jobs): Promise<number> =>
            rateOf(() => call(side), inFlight, functionMs(options) / ROUNDS);
          figures.push(
            await beside(
              `${name}, ${inFlight} in flight`,
              () => rate(ours),
              () => rate(theirs),
            ),
          );
        }
      return figures;
    } finally {
      ours.close();
      await theirs.close();
    }
  },
};

/** Both sides in turn; who goes first changes from round to round. */
async function beside(name: string, ours: () => Promise<number>, theirs: () => Promise<number>): Promise<Figure> {
  const pairs: Pair[] = [];
  for (let round = -2; round < ROUNDS; round++) {
    const first = round % 2 === 0 ? await ours() : await theirs();
    const second = round % 2 === 0 ? await theirs() : await ours();
    const [value, ceiling] = round % 2 === 0 ? [first, second] : [second, first];
    if (round >= 0) pairs.push({ value, ceiling }); // the first rounds load the libraries and warm up
  }
  return {
    name,
    unit: 'op/s',
    value: median(pairs.map(({ value }) => value)),
    ceiling: median(pairs.map(({ ceiling }) => ceiling)),
    ratio: ratioOf(pairs),
    pairs,
    errors: 0,
    rival: { name: 'piscina' },
  };
}

/** Jobs a second with so many in flight. */
async function rateOf(call: () => ReturnType<Call>, inFlight: number, ms: number): Promise<number> {
  const from = performance.now();
  let ended = 0;
  const one = async (): Promise<void> => {
    while (performance.now() - from < ms) {
      const end = await call();
      if (end.kind !== 'done' || (end.result.kind !== 'value' && end.result.kind !== 'body'))
        throw new Error(`a job ended as ${JSON.stringify(end)}`);
      ended++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
  return (ended * 1000) / (performance.now() - from);
}
