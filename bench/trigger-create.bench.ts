/** Creates of an entity that has a trigger and of one without, in turns: inside the host with their commit, and over HTTP. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { dataService } from '#actors/data/service.ts';
import { endEvent } from '#actors/data/trigger/ended.ts';
import { triggersOf } from '#actors/data/trigger/part.ts';
import { eventRows } from '#actors/data/trigger/store.ts';
import type { TriggerKind } from '#config/definitions/trigger-shapes.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { Work } from '#actors/host/work.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import type { Bench, BenchCase } from './harness.ts';
import { withDataNode, type DataNode } from './kit/data-node.ts';
import { changingRow } from './kit/dev-file.ts';
import { ratioOf, type Figure, type Pair } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { functionMs } from './kit/function-bench.ts';
import { median } from './kit/stats.ts';
import { withTurns, type Asked, type Turns } from './kit/turns.ts';
import { unexpected } from './kit/wrk-output.ts';
import { runWrk } from './kit/wrk.ts';

const BLOCK = 2000;
const WARM_BLOCKS = 6;
const RATIO_MIN = 0.8;
const CONNECTIONS = 64;
const HTTP_SECONDS = 10;
const WARM_SECONDS = 3;
/** What is on its way leaves before the other side is measured. */
const SETTLE_MS = 3000;
const CREATED = 201;
const FIELDS = {
  country: { type: 'string', required: true, min_length: 2, max_length: 2 },
  name: { type: 'string', required: true, max_length: 100 },
  population: { type: 'integer', required: true, min: 0 },
} as const;
const KINDS = ['webhook', 'mail', 'script'] as const;
const targets = {
  webhook: { kind: 'webhook', url: 'https://hooks.example', headers: {}, secret: 'hook' },
  mail: { kind: 'mail', template: 'made', to: 'a@hooks.example' },
  script: { kind: 'script', role: 'editor', source: 'return null;', sourceAt: { line: 1, column: 1 } },
} as const;

function product(): ProductDefinition {
  const index = { index: [['country', 'population'], ['name']] };
  const triggers = KINDS.map((kind) => ({
    name: kind,
    entity: kind,
    events: ['created'],
    changed: null,
    fields: [],
    target: targets[kind],
    where: `triggers/${kind}.yaml`,
  }));
  const entities = ['plain', ...KINDS].map((name) => entityOf(name, FIELDS, index));
  return { ...productOf(entities), triggers: triggers as unknown as NonNullable<ProductDefinition['triggers']> };
}

const place = { country: 'CH', name: 'place', population: 7919 };
const createOf = (entity: string): Asked => ({
  route: 'create',
  method: 'POST',
  params: entity,
  body: place,
  expect: 201,
});

/** Creates a second, of one block. */
function block(turns: Turns, entity: string): number {
  const create = turns.run(createOf(entity), true);
  const began = performance.now();
  for (let no = 0; no < BLOCK; no++) void create();
  return BLOCK / ((performance.now() - began) / 1000);
}

const TAKEN = { outcome: 'delivered', attempts: 1, status: 200, error: null } as const;

/** What waits ends between blocks: a trigger whose events fill their room drops new ones, which costs less. */
function empty({ activation }: Turns, kind: TriggerKind): void {
  const { table, under } = eventRows[kind];
  const work = new Work(activation);
  const waiting = [...triggersOf(activation).sinks.outbox[kind].entries(work.turn())];
  for (const entry of waiting) {
    table.del(work.turn(), ...under, entry.id);
    endEvent(work, entry, TAKEN);
  }
  work.commit();
}

async function pairsOf(turns: Turns, kind: TriggerKind, ms: number, drain: () => Promise<void>): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let no = 0, end = Infinity; performance.now() < end || pairs.length === 0; no++) {
    if (no === WARM_BLOCKS) end = performance.now() + ms;
    const rates: Record<string, number> = {};
    for (const entity of no % 2 === 0 ? ['plain', kind] : [kind, 'plain']) {
      rates[entity] = block(turns, entity);
      empty(turns, kind);
      await drain();
    }
    if (no >= WARM_BLOCKS) pairs.push({ ceiling: rates['plain']!, value: rates[kind]! });
  }
  return pairs;
}

export const triggerCreate: BenchCase = {
  name: 'trigger-create',
  measures: 'creates with a webhook, a mail or a script behind them, and without, inside the host',
  target: `≥ ${RATIO_MIN} × of creates without`,
  http: false,
  seconds: (options) => (KINDS.length * functionMs(options) * 4) / 1000,
  run: ({ dataDir, options }) =>
    withTurns(dataDir, { product: product(), services: () => [dataService()] }, async (turns, drain) => {
      const figures: Figure[] = [];
      for (const kind of KINDS) {
        const pairs = await pairsOf(turns, kind, functionMs(options) * 3, drain);
        figures.push(figureOf(`trigger-create ${kind}`, pairs));
      }
      return figures;
    }),
};

/** Takes webhooks, and counts them. */
async function startReceiver(): Promise<{
  readonly server: Server;
  readonly port: number;
  readonly taken: () => number;
}> {
  let taken = 0;
  const server = createServer((request, response) => {
    taken++;
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port, taken: () => taken };
}

async function measurePairs(bench: Bench, node: DataNode, connections: number): Promise<Pair[]> {
  const { pairs: count, seconds = HTTP_SECONDS, threads } = bench.options;
  const body = changingRow({ name: 'place', country: 'CH', population: 0 });
  const rateOf = async (entity: string, forSeconds: number): Promise<number> => {
    const headers = { ...(await node.headers()), 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body };
    const result = await runWrk({
      url: `${node.gateway}/data/rest/${entity}`,
      request,
      connections,
      threads,
      seconds: forSeconds,
    });
    if (unexpected(result, CREATED) > 0) throw new Error(`creates of ${entity} failed`);
    return result.perSecond;
  };
  for (const entity of ['plain', 'posted']) await rateOf(entity, WARM_SECONDS);
  const pairs: Pair[] = [];
  for (let no = 0; no < count; no++) {
    const rates: Record<string, number> = {};
    for (const entity of no % 2 === 0 ? ['plain', 'posted'] : ['posted', 'plain']) {
      rates[entity] = await rateOf(entity, seconds);
      await setTimeout(SETTLE_MS);
    }
    pairs.push({ ceiling: rates['plain']!, value: rates['posted']! });
  }
  return pairs;
}

export const triggerCreateHttp: BenchCase = {
  name: 'trigger-create-http',
  measures: `durable creates on ${CONNECTIONS} connections with a webhook behind each, which a receiver beside takes, and without`,
  target: `≥ ${RATIO_MIN} × of creates without`,
  http: true,
  seconds: ({ pairs, seconds = HTTP_SECONDS }) => 2 * pairs * (seconds + SETTLE_MS / 1000) + 20,
  async run(bench) {
    const { server, port, taken } = await startReceiver();
    try {
      const pairs = await withDataNode(
        bench,
        (node) => measurePairs(bench, node, bench.options.connections ?? CONNECTIONS),
        { checkout: 'posts', upstreamPort: port },
      );
      const note = `${number(taken())} webhooks left meanwhile; others found their room of 5,000 full`;
      return [figureOf('trigger-create-http', pairs, note)];
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },
};

function figureOf(name: string, pairs: readonly Pair[], note?: string): Figure {
  const value = median(pairs.map((pair) => pair.value));
  const ceiling = median(pairs.map((pair) => pair.ceiling));
  const target = { of: 'ratio', bound: 'min', than: RATIO_MIN } as const;
  const rival = { name: 'a create without a trigger' };
  const ratio = ratioOf(pairs);
  return {
    name,
    unit: 'op/s',
    value,
    ceiling,
    ratio,
    pairs,
    errors: 0,
    target,
    rival,
    ...(note !== undefined && { note }),
  };
}
