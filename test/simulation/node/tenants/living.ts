/** Tenants with the real data service on a real host, over the archive of the simulated one. As runtime/threads/tenant-host.ts puts it together. */
import type { Archive } from '#storage/archive.ts';
import { dataService } from '#actors/data/service.ts';
import { scanOldest, keptOf } from '#actors/data/submission/store.ts';
import { listTriggers } from '#actors/data/trigger/events.ts';
import { hasEvents, scanRecords, type TriggerCount } from '#actors/data/trigger/store.ts';
import { provisionSchema } from '#actors/engine/schema/apply.ts';
import type { Activation, Context } from '#actors/host/activation.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { Exclusive } from '#actors/host/exclusive.ts';
import { Host } from '#actors/host/host.ts';
import type { Service } from '#actors/host/service.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { REQUESTS, type Flat } from '#actors/protocol/frame.ts';
import { METHODS } from '#actors/protocol/method.ts';
import { answerRelays } from '#runtime/threads/answer-relays.ts';
import type { TenantHost } from '#runtime/threads/tenant-host.ts';
import { entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { triggerFor } from '#test/kit/trigger-definition.ts';
import { randomBytes } from '#test/simulation/instead/crypto.ts';
import { DIRECTORY, entryOf } from './position.ts';

export const RECEIVER = 'https://receiver.example/';
const target = { kind: 'webhook', url: RECEIVER, secret: 's', timeoutMs: 1000, headers: {} } as const;
const PRODUCT = {
  ...productOf([entityOf('order', { number: { type: 'string', required: true } })]),
  triggers: [triggerFor('told', { fields: ['number'], target })],
};
const quiet = (): void => undefined;

export interface Asked {
  /** Which of the tenants. */
  readonly no: number;
  /** '' for none. */
  readonly key: string;
  readonly body: object;
}

export interface Answered {
  readonly status: number;
  readonly body: string;
}

/** What a tenant has when its host closes. */
export interface TenantState {
  /** Numbers of orders, by their ids. */
  readonly orders: ReadonlyMap<string, string>;
  /** Names in submissions, by their ids; and how many the tenant counts. */
  readonly submissions: ReadonlyMap<string, string>;
  readonly submissionCount: number;
  /** How webhooks ended that were not taken: by the ids of their rows. */
  readonly failed: ReadonlyMap<string, string>;
  readonly counts: TriggerCount;
}

export class LivingTenants {
  readonly #archive: Archive;
  readonly #host: Host;
  readonly #service: Service;
  readonly #context: Context;
  readonly #routes: readonly CompiledRoute[];
  readonly #waiting = new Map<number, (answer: Answered) => void>();
  readonly #closing: () => Promise<void>;
  #requests = 0;

  constructor(archive: Archive, channel: Channel) {
    this.#archive = archive;
    this.#context = {
      clock: systemClock,
      ids: new IdSource(systemClock),
      log: { info: quiet, warn: quiet, error: quiet },
      random: randomBytes,
      ring: ringOf([]),
    };
    const data = dataService({
      triggers: {
        clock: systemClock,
        hooksPending: (tenantNo) => channel.tell('hook.pending', { tenantNo }),
        mailPending: null,
        secret: () => Promise.resolve(null),
        after: (ms, run) => void setTimeout(run, ms),
      },
      after: (ms, run) => void setTimeout(run, ms),
    });
    // Who the callers are is not the matter here.
    this.#service = { ...data, authenticate: () => USER };
    this.#routes = routesOf(this.#service);
    this.#host = new Host({
      log: this.#context.log,
      routes: this.#routes,
      services: new Map([[this.#service.name, this.#service]]),
      planeNo: null,
      wake: (tenantNo) => this.#wake(tenantNo),
      send: (no, status, _headers, body) => this.#replied(no, { status, body: String(body) }),
      later: setImmediate,
      after: (ms, run) => void setTimeout(run, ms),
      monotonic: () => performance.now(),
    });
    const { outboxes = {} } = this.#service;
    const answering = { outboxes, run: this.#host.run.bind(this.#host) } as unknown as TenantHost;
    this.#closing = answerRelays(channel, answering);
    channel.answer('actor.ask', ({ tenantNo, service, verb, body }) => this.#host.ask(tenantNo, service, verb, body));
  }

  /** Looks for what an earlier owner has left. */
  resume(): void {
    for (const { no, shard } of DIRECTORY) this.#service.resume!(this.#archive.store(shard, no), no);
  }

  /** Creates an order. */
  create({ no, key, body }: Asked): Promise<Answered> {
    const route = this.#routes.find(({ row }) => row.path === '/data/rest/{entity}' && row.methods.includes('POST'))!;
    const extra = key === '' ? '' : `idempotency-key:${key}\n`;
    const request: Flat = [++this.#requests, route.no, entryOf(no).no, METHODS.indexOf('POST'), 'order', '', '', 'r'];
    const answer = new Promise<Answered>((resolve) => this.#waiting.set(this.#requests, resolve));
    this.#host.receive([REQUESTS, ...request, extra, JSON.stringify(body)]);
    return answer;
  }

  #replied(no: number, answer: Answered): void {
    this.#waiting.get(no)?.(answer);
    this.#waiting.delete(no);
  }

  async #wake(tenantNo: number): Promise<Activation> {
    const { position, shard } = DIRECTORY.find(({ no }) => no === tenantNo)!;
    const store = this.#archive.store(shard, tenantNo);
    await provisionSchema(store, PRODUCT);
    const context = this.#context;
    const activation: Activation = { position, tenantNo, context, product: PRODUCT, store, exclusive: new Exclusive() };
    await this.#service.activate(activation);
    return activation;
  }

  /** Whether no webhook waits any more. */
  get isQuiet(): boolean {
    return DIRECTORY.every(({ no, shard }) => !hasEvents(this.#archive.store(shard, no)));
  }

  async close(): Promise<readonly TenantState[]> {
    const states: TenantState[] = [];
    for (const { no } of DIRECTORY) states.push(await this.#stateOf(no));
    await this.#closing();
    await this.#host.close();
    return states;
  }

  async #stateOf(tenantNo: number): Promise<TenantState> {
    const answer = await this.#list(tenantNo);
    return this.#host.run(tenantNo, (work) => {
      const turn = work.turn();
      return {
        orders: new Map(answer.map(({ id, number }) => [id, number])),
        submissions: new Map([...scanOldest(turn, '')].map(({ id, fields }) => [id, String(fields['name'])])),
        submissionCount: keptOf(turn),
        failed: new Map([...scanRecords(turn, false)].map(({ key, outcome }) => [String(key), outcome])),
        counts: listTriggers(work)[0]!,
      };
    });
  }

  /** All orders, over the same route as callers. */
  async #list(tenantNo: number): Promise<readonly { readonly id: string; readonly number: string }[]> {
    const route = this.#routes.find(({ row }) => row.path === '/data/rest/{entity}' && row.methods.includes('GET'))!;
    const request: Flat = [
      ++this.#requests,
      route.no,
      tenantNo,
      METHODS.indexOf('GET'),
      'order',
      'limit=1000',
      '',
      'r',
    ];
    const answer = new Promise<Answered>((resolve) => this.#waiting.set(this.#requests, resolve));
    this.#host.receive([REQUESTS, ...request, '', '']);
    const { status, body } = await answer;
    if (status !== 200) throw new Error(`a list was answered ${status}: ${body}`);
    return (JSON.parse(body) as { data: { id: string; number: string }[] }).data;
  }
}

function routesOf({ name: service, routes }: Service): CompiledRoute[] {
  return Object.entries(routes).map(([name, row], no) => {
    const paramNames = [...row.path.matchAll(/\{(\w+)\*?\}/g)].map((match) => match[1]!);
    return { no, name, service, row, paramNames };
  });
}
