/** Requests of the data service as its host answers them, without door, threads and disk: what is left of a figure over HTTP is those. */
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { Call } from '#actors/host/call.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Method, Reply } from '#actors/protocol/route.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { BenchCase } from './harness.ts';
import { functionMs, timeFunction } from './kit/function-bench.ts';

const ROWS = 1000;
const OPERATIONS = 100;
const FIELDS = {
  country: { type: 'string', required: true, min_length: 2, max_length: 2 },
  name: { type: 'string', required: true, max_length: 100 },
  population: { type: 'integer', required: true, min: 0 },
} as const;
const PLACE = entityOf('place', FIELDS, { index: [['country', 'population'], ['name']] });

interface Asked {
  readonly route: string;
  readonly method: Method;
  readonly params: string;
  readonly query?: string;
  readonly body?: object;
  readonly expect: number;
}

class Turns {
  readonly #tenant: DataTenant;
  readonly #routes = new Map<string, CompiledRoute>();

  constructor(tenant: DataTenant) {
    this.#tenant = tenant;
    for (const [no, [name, row]] of Object.entries(tenant.service.routes).entries()) {
      const paramNames = [...row.path.matchAll(/\{(\w+)\*?\}/g)].map((match) => match[1]!);
      this.#routes.set(name, { no, name, service: 'data', row, paramNames });
    }
  }

  /** One request whose writes are staged and dropped: memory would grow, and the journal has cases of its own. */
  run({ route, method, params, query = '', body, expect }: Asked): () => Reply | Refusal {
    const text = body === undefined ? '' : JSON.stringify(body);
    const compiled = this.#routes.get(route)!;
    const handler = this.#tenant.service.handlers[route]!;
    return () => {
      const call = new Call(0, compiled, 1, method, params, query, '', 'r1', '', text);
      call.tenant = this.#tenant.activation;
      call.principal = USER;
      const outcome = handler(call);
      if (outcome instanceof Promise) throw new Error(`${route} waits`);
      call.abort();
      if (isRefusal(outcome) || outcome.status !== expect) throw new Error(`${route}: ${JSON.stringify(outcome)}`);
      return outcome;
    };
  }
}

const place = (no: number) => ({ country: 'CH', name: `place ${no}`, population: (no * 7919) % 1_000_000 });

export const dataTurn: BenchCase = {
  name: 'data-turn',
  measures: `read, list of 20, create and an envelope of ${OPERATIONS} inside the host, over ${ROWS} rows in memory`,
  target: '',
  http: false,
  seconds: (options) => (5 * functionMs(options)) / 1000,
  async run({ options }) {
    const tenant = await DataTenant.open(productOf([PLACE]));
    let id = '';
    for (let no = 0; no < ROWS; no++) {
      const { status, body } = await tenant.send('POST', '/data/rest/place', place(no));
      if (status !== 201) throw new Error(`a row was answered ${status}`);
      id = (body as { data: { id: string }[] }).data[0]!.id;
    }
    const turns = new Turns(tenant);
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
      create: { route: 'create', method: 'POST', params: 'place', body: place(0), expect: 201 },
      [`envelope of ${OPERATIONS}`]: { route: 'operations', method: 'POST', params: '', body: envelope, expect: 200 },
    };
    const figures = [];
    for (const [name, one] of Object.entries(asked))
      figures.push(await timeFunction(`data-turn ${name}`, turns.run(one), ms, 'staged and dropped'));
    return figures;
  },
};
