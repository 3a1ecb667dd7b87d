/** Requests of the data service as its host answers them, without door, threads and fsync: what is left of a figure over HTTP is those. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dataService } from '#actors/data/service.ts';
import { provisionSchema } from '#actors/data/schema/apply.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Exclusive } from '#actors/host/exclusive.ts';
import type { Service } from '#actors/host/service.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { openArchive } from '#storage/archive.ts';
import type { Store } from '#storage/port.ts';
import { entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { Call } from '#actors/host/call.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Method, Reply } from '#actors/protocol/route.ts';
import type { BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { functionMs, timeCalls, timeFunction } from './kit/function-bench.ts';

const ROWS = 10_000;
const OPERATIONS = 100;
const FIELDS = {
  country: { type: 'string', required: true, min_length: 2, max_length: 2 },
  name: { type: 'string', required: true, max_length: 100 },
  population: { type: 'integer', required: true, min: 0 },
} as const;
const TENANT_NO = 2;
const PRODUCT = productOf([entityOf('place', FIELDS, { index: [['country', 'population'], ['name']] })]);

interface Asked {
  readonly route: string;
  readonly method: Method;
  readonly params: string;
  readonly query?: string;
  readonly body?: object;
  readonly expect: number;
}

class Turns {
  readonly #service: Service = dataService();
  readonly #activation: Activation;
  readonly #routes = new Map<string, CompiledRoute>();

  constructor(store: Store) {
    const silent = (): void => undefined;
    const context = {
      clock: systemClock,
      ids: new IdSource(systemClock),
      log: { info: silent, warn: silent, error: silent },
      random: (bytes: number) => Buffer.alloc(bytes, 7),
      ring: ringOf([]),
    };
    const position = parsePosition('acme:atlas:dev:main')!;
    const exclusive = new Exclusive();
    this.#activation = { position, tenantNo: TENANT_NO, context, product: PRODUCT, store, parts: new Map(), exclusive };
    for (const [no, [name, row]] of Object.entries(this.#service.routes).entries()) {
      const paramNames = [...row.path.matchAll(/\{(\w+)\*?\}/g)].map((match) => match[1]!);
      this.#routes.set(name, { no, name, service: 'data', row, paramNames });
    }
  }

  async wake(): Promise<void> {
    await this.#service.activate(this.#activation);
  }

  /** One request; its writes are dropped unless `keep`: the journal has cases of its own. */
  run({ route, method, params, query = '', body, expect }: Asked, keep = false): () => Reply | Promise<Reply> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const compiled = this.#routes.get(route)!;
    const handler = this.#service.handlers[route]!;
    return () => {
      const call = new Call(0, compiled, TENANT_NO, method, params, query, '', 'r1', '', text);
      call.tenant = this.#activation;
      call.principal = USER;
      const end = (outcome: Reply | Refusal): Reply => {
        if (isRefusal(outcome) || outcome.status !== expect) throw new Error(`${route}: ${JSON.stringify(outcome)}`);
        if (keep) call.commit();
        else call.abort();
        return outcome;
      };
      const outcome = handler(call);
      return outcome instanceof Promise ? outcome.then(end) : end(outcome);
    };
  }
}

/** A store of its own on the disk, with the rows; the id of the last. */
async function withTurns<T>(dataDir: string, work: (turns: Turns, id: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(dataDir, 'turns-'));
  const archive = await openArchive({
    dataDir: dir,
    shards: [0],
    epoch: 1,
    name: 'bench',
    replay: [],
    onFatal: (error) => {
      throw error;
    },
    limits: { freeBytesMin: 1, ballastBytes: 0 },
  });
  try {
    const store = archive.store(0, TENANT_NO);
    await provisionSchema(store, PRODUCT);
    const turns = new Turns(store);
    await turns.wake();
    let id = '';
    for (let no = 0; no < ROWS; no++) {
      const { text = '' } = await turns.run({ ...CREATE, body: place(no) }, true)();
      id = (JSON.parse(text) as { data: { id: string }[] }).data[0]!.id;
    }
    await archive.drain();
    return await work(turns, id);
  } finally {
    await archive.close();
    await rm(dir, { recursive: true, force: true });
  }
}

const place = (no: number) => ({ country: 'CH', name: `place ${no}`, population: (no * 7919) % 1_000_000 });
const CREATE = { route: 'create', method: 'POST', params: 'place', expect: 201 } as const;

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
    withTurns(dataDir, async (turns, id) => {
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
