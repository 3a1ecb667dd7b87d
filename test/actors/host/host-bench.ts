/** A host whose wires, time and storage a test holds in its hand. */
import { anyone } from '#actors/protocol/callers.ts';
import { Exclusive } from '#actors/host/exclusive.ts';
import { z } from 'zod';
import { MemoryStore } from '#test/storage/memory.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Call, CompiledRoute } from '#actors/host/call.ts';
import { Host } from '#actors/host/host.ts';
import type { Pulse } from '#actors/host/pulse.ts';
import type { AnyHandler, Service } from '#actors/host/service.ts';
import { REQUESTS, type Flat } from '#actors/protocol/frame.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';
import { reply, type RouteRow } from '#actors/protocol/route.ts';

export const refuse = refuserOf(
  defineRefusals({
    nope: { statuses: [422], family: 'coded', cause: 'no' },
    busy: { statuses: [503], family: 'coded', cause: 'busy' },
  }),
);

const row: RouteRow = {
  methods: ['GET'],
  path: '/x/{id}',
  position: 'door',
  callers: anyone(),
  body: 'json',
  ack: 'fsync',
  replies: { 200: z.unknown() },
  refusals: ['nope'],
  summary: 'a test route',
};

interface Sent {
  readonly no: number;
  readonly status: number;
  readonly body: string;
}

/** A host on memory stores; durability and later turns happen when the test says so. */
export class Bench {
  readonly sent: Sent[] = [];
  readonly durable: (() => void)[] = [];
  readonly laters: (() => void)[] = [];
  readonly afters: { readonly ms: number; readonly run: () => void }[] = [];
  readonly wakes: number[] = [];
  readonly faults: unknown[] = [];
  now = 0;
  mayAnswer = true;
  /** Answers the ask `wait`. */
  answer: () => void = () => undefined;
  handler: AnyHandler = () => reply(200, {});
  wake: (no: number) => Promise<Activation> = (no) => Promise.resolve(this.activation(no));
  readonly stores = new Map<number, MemoryStore>();
  readonly host: Host;

  /** `confirms`: what answers wait for; absent where none waits. */
  constructor(pulse?: Pulse, confirms?: () => Promise<boolean>) {
    const service: Service = {
      name: 'test',
      routes: { x: row },
      handlers: { x: (call) => this.handler(call) },
      authenticate: () => null,
      unavailable: (_call, why) => refuse('busy', { message: why }),
      activate: () => undefined,
      asks: {
        put: (work, body: string) => {
          work.turn().put('k', Buffer.from(body));
          return 'done';
        },
        wait: () => new Promise((resolve) => (this.answer = () => resolve('answered'))),
      },
    };
    const route: CompiledRoute = { no: 0, name: 'x', service: 'test', row, paramNames: ['id'] };
    this.host = new Host({
      log: { info: () => undefined, warn: () => undefined, error: (fields) => this.faults.push(fields) },
      routes: [route],
      services: new Map([['test', service]]),
      wake: (no) => {
        this.wakes.push(no);
        return this.wake(no);
      },
      planeNo: null,
      send: (no, status, _headers, body) => this.sent.push({ no, status, body: body as string }),
      later: (run) => this.laters.push(run),
      after: (ms, run) => this.afters.push({ ms, run }),
      monotonic: () => this.now,
      mayAnswer: () => this.mayAnswer,
      confirms,
      ...(pulse === undefined ? {} : { pulse }),
    });
  }

  activation(tenantNo: number): Activation {
    const store = this.stores.get(tenantNo) ?? new MemoryStore();
    store.whenDurable = (_newest, then) => void this.durable.push(then);
    this.stores.set(tenantNo, store);
    const position = parsePosition('a:b:c:d')!;
    return { position, tenantNo, store, product: null!, context: null!, exclusive: new Exclusive() };
  }

  /** Calls arrive, and the turns of the event loop after them: one ends with a call that goes on in microtasks. */
  receive(...tenants: number[]): void {
    this.arrive(...tenants);
    for (let turn = 0; turn < tenants.length; turn++) this.laters.shift()?.();
  }

  arrive(...tenants: number[]): void {
    const batch: Flat = [REQUESTS];
    tenants.forEach((tenant, i) => batch.push(i, 0, tenant, 0, `id${i}`, '', '', 'r', '', ''));
    this.host.receive(batch);
  }
}

export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
export const writing: AnyHandler = (call: Call) => {
  call.turn().put(`key ${call.param('id')}`, Buffer.from('v'));
  return reply(200, { ok: true });
};
