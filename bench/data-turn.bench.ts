/** Requests of the data service as its host answers them, without door, threads and fsync: what is left of a figure over HTTP is those. */
import { dataService } from '#actors/data/service.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import type { BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { functionMs, timeCalls, timeFunction } from './kit/function-bench.ts';
import { withTurns, type Asked, type Turns } from './kit/turns.ts';

const ROWS = 10_000;
const OPERATIONS = 100;
const FIELDS = {
  country: { type: 'string', required: true, min_length: 2, max_length: 2 },
  name: { type: 'string', required: true, max_length: 100 },
  population: { type: 'integer', required: true, min: 0 },
} as const;
const PRODUCT = productOf([entityOf('place', FIELDS, { index: [['country', 'population'], ['name']] })]);

const place = (no: number) => ({ country: 'CH', name: `place ${no}`, population: (no * 7919) % 1_000_000 });
const CREATE = { route: 'create', method: 'POST', params: 'place', expect: 201 } as const;

/** The id of the last row. */
async function fill(turns: Turns): Promise<string> {
  let id = '';
  for (let no = 0; no < ROWS; no++) {
    const { text = '' } = await turns.run({ ...CREATE, body: place(no) }, true)();
    id = (JSON.parse(text) as { data: { id: string }[] }).data[0]!.id;
  }
  return id;
}

/** Some handlers wait for a slice of their scan: those are timed one after the other. */
function timed(name: string, run: () => Reply | Promise<Reply>, ms: number): Promise<Figure> {
  const note = 'its writes are dropped';
  return run() instanceof Promise ? timeCalls(name, async () => run(), ms, note) : timeFunction(name, run, ms, note);
}

export const dataTurn: BenchCase = {
  name: 'data-turn',
  measures: `read, list of 20, create and an envelope of ${OPERATIONS} inside the host, over ${number(ROWS)} rows`,
  target: '',
  http: false,
  seconds: (options) => (5 * functionMs(options)) / 1000,
  run: ({ dataDir, options }) =>
    withTurns(dataDir, { product: PRODUCT, services: () => [dataService()] }, async (turns, drain) => {
      const id = await fill(turns);
      await drain();
      const ms = functionMs(options);
      const envelope = { operations: Array.from({ length: OPERATIONS }, (_, no) => ({ data: { place: place(no) } })) };
      const asked: Readonly<Record<string, Asked>> = {
        read: { route: 'read', method: 'GET', params: `place\n${id}`, expect: 200 },
        'list of 20': {
          route: 'list',
          method: 'GET',
          params: 'place',
          query: 'country=CH&orderby=-population&limit=20',
          expect: 200,
        },
        create: { ...CREATE, body: place(0) },
        [`envelope of ${OPERATIONS}`]: { route: 'operations', method: 'POST', params: '', body: envelope, expect: 200 },
      };
      const figures = [];
      for (const [name, one] of Object.entries(asked))
        figures.push(await timed(`data-turn ${name}`, turns.run(one), ms));
      return figures;
    }),
};
