import { Exclusive } from '#actors/host/exclusive.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { StorageFull } from '#storage/fault.ts';
import { MemoryStore } from '#storage/memory.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Call, CompiledRoute } from '#actors/host/call.ts';
import { Host } from '#actors/host/host.ts';
import type { AnyHandler, Service } from '#actors/host/service.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { REQUESTS } from '#actors/protocol/frame.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';
import { reply } from '#actors/protocol/route.ts';
import type { RouteRow } from '#actors/protocol/route.ts';

const refuse = refuserOf(
  defineRefusals({
    nope: { statuses: [422], family: 'coded', cause: 'no' },
    busy: { statuses: [503], family: 'coded', cause: 'busy' },
  }),
);

const row: RouteRow = {
  methods: ['GET'],
  path: '/x/{id}',
  position: 'door',
  auth: 'none',
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
class Bench {
  readonly sent: Sent[] = [];
  readonly durable: (() => void)[] = [];
  readonly laters: (() => void)[] = [];
  readonly afters: { readonly ms: number; readonly run: () => void }[] = [];
  readonly wakes: number[] = [];
  readonly faults: unknown[] = [];
  now = 0;
  /** Answers the ask `wait`. */
  answer: () => void = () => undefined;
  handler: AnyHandler = () => reply(200, {});
  wake: (no: number) => Promise<Activation> = (no) => Promise.resolve(this.activation(no));
  readonly stores = new Map<number, MemoryStore>();
  readonly host: Host;

  constructor() {
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
      whenDurable: (_newest, then) => this.durable.push(then),
      later: (run) => this.laters.push(run),
      after: (ms, run) => this.afters.push({ ms, run }),
      monotonic: () => this.now,
    });
  }

  activation(tenantNo: number): Activation {
    const store = this.stores.get(tenantNo) ?? new MemoryStore();
    this.stores.set(tenantNo, store);
    const position = parsePosition('a:b:c:d')!;
    return { position, tenantNo, store, product: null!, context: null!, parts: new Map(), exclusive: new Exclusive() };
  }

  /** Calls arrive, and the first turn of the event loop after them. */
  receive(...tenants: number[]): void {
    this.arrive(...tenants);
    this.laters.shift()?.();
  }

  arrive(...tenants: number[]): void {
    const batch: Flat = [REQUESTS];
    tenants.forEach((tenant, i) => batch.push(i, 0, tenant, 0, `id${i}`, '', '', 'r', '', ''));
    this.host.receive(batch);
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const writing: AnyHandler = (call: Call) => {
  call.turn().put(`key ${call.param('id')}`, Buffer.from('v'));
  return reply(200, { ok: true });
};

describe('a host', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = new Bench();
    bench.receive(1, 2);
    await settled();
    bench.sent.length = 0;
  });

  test('wakes a tenant once and answers in order', () => {
    expect(bench.wakes).toEqual([1, 2]);
    bench.receive(1, 1, 1);
    expect(bench.sent.map((sent) => sent.no)).toEqual([0, 1, 2]);
    expect(bench.wakes).toEqual([1, 2]);
  });

  test('who arrives behind the flood of another tenant has the second turn', () => {
    const order: number[] = [];
    bench.handler = (call) => {
      order.push(call.tenantNo);
      return reply(200, {});
    };
    for (let i = 0; i < 5; i++) bench.arrive(1);
    bench.arrive(2);
    expect(order).toEqual([]);
    expect(bench.laters).toHaveLength(1);
    bench.laters.shift()!();
    expect(order).toEqual([1, 2, 1, 1, 1, 1]);
  });

  test('the reply of a write leaves only when its record is durable', () => {
    bench.handler = writing;
    bench.receive(1);
    expect(bench.sent).toEqual([]);
    expect(bench.durable).toHaveLength(1);
    bench.durable[0]!();
    expect(bench.sent).toEqual([{ no: 0, status: 200, body: '{"ok":true}' }]);
  });

  test('the answer of a write waits while LMDB is far behind, that of a read does not', () => {
    bench.handler = writing;
    bench.stores.get(1)!.pressure = 0.75;
    bench.receive(1);
    bench.durable.pop()!();
    expect(bench.sent).toEqual([]);
    expect(bench.afters.map(({ ms }) => ms)).toEqual([limits.host.brakeMsMax / 2]);
    bench.afters[0]!.run();
    expect(bench.sent.map((sent) => sent.status)).toEqual([200]);
    bench.handler = (call) => {
      call.turn().get('key id0');
      return reply(200, {});
    };
    bench.receive(1);
    expect(bench.sent).toHaveLength(2);
  });

  test('a refusal keeps nothing of its turn', () => {
    bench.handler = (call) => {
      call.turn().put('k', Buffer.from('v'));
      return refuse('nope');
    };
    bench.receive(1);
    expect(bench.sent[0]!.status).toBe(422);
    expect(bench.stores.get(1)!.begin().get('k')).toBeUndefined();
  });

  test('a throw is logged, answered as unavailable, and keeps nothing', () => {
    bench.handler = (call) => {
      call.turn().put('k', Buffer.from('v'));
      throw new Error('boom');
    };
    bench.receive(1);
    expect(bench.sent).toEqual([{ no: 0, status: 503, body: '{"error":"fault","code":"busy"}' }]);
    expect(bench.faults).toHaveLength(1);
    expect(bench.stores.get(1)!.begin().get('k')).toBeUndefined();
  });

  test('a full archive is answered as such and not logged as a fault', () => {
    bench.handler = () => {
      throw new StorageFull('disk');
    };
    bench.receive(1);
    expect(bench.sent[0]!.body).toContain('storage_full');
    expect(bench.faults).toEqual([]);
  });

  test('tenants take turns: a quiet one does not wait behind a flood', () => {
    bench.receive(...new Array<number>(50).fill(1), 2);
    const place = bench.sent.findIndex((sent) => sent.no === 50);
    expect(place).toBeLessThanOrEqual(2);
  });

  test('a turn of the event loop ends when its budget is spent; the rest goes on later', () => {
    bench.handler = () => {
      bench.now += 1;
      return reply(200, {});
    };
    bench.receive(...new Array<number>(64).fill(1));
    expect(bench.sent.length).toBeLessThan(64);
    while (bench.laters.length > 0) bench.laters.shift()!();
    expect(bench.sent).toHaveLength(64);
  });

  test("a full mailbox sheds with the service's own answer", () => {
    bench.wake = () => new Promise(() => undefined);
    bench.receive(...new Array<number>(limits.host.mailboxDepthMax + 2).fill(3));
    expect(bench.sent).toHaveLength(2);
    expect(bench.sent[0]!.body).toContain('overloaded');
  });

  test('a handler that found no room is overload, no fault', async () => {
    bench.handler = () => Promise.reject(new Busy('later'));
    bench.receive(3);
    await settled();
    expect(bench.sent[0]!.body).toContain('overloaded');
    expect(bench.faults).toEqual([]);
  });

  test('a tenant that is asked for twice wakes once; one that is forgotten while it wakes begins anew', async () => {
    const wakers: ((activation: Activation) => void)[] = [];
    bench.wake = () => new Promise((resolve) => wakers.push(resolve));
    const asked = [bench.host.activation(3), bench.host.activation(3)];
    expect(wakers).toHaveLength(1);
    expect(bench.host.forget(3)).toBe(true);
    wakers[0]!(bench.activation(3));
    await settled();
    expect([wakers.length, bench.host.awakeTenants]).toEqual([2, [1, 2]]);
    const fresh = bench.activation(3);
    wakers[1]!(fresh);
    expect(await Promise.all(asked)).toEqual([fresh, fresh]);
    expect(bench.host.awakeTenants).toContain(3);
  });

  test('a tenant that cannot wake answers its callers and the others go on', async () => {
    bench.wake = () => Promise.reject(new Error('bad product'));
    bench.receive(3, 1);
    await settled();
    expect(bench.sent.map((sent) => [sent.no, sent.status])).toEqual([
      [1, 200],
      [0, 503],
    ]);
  });

  test('an idle tenant sleeps and wakes again', async () => {
    bench.receive(1);
    bench.now = 1000;
    expect(bench.host.sleepIdle(500)).toBe(2);
    bench.receive(1);
    await settled();
    expect(bench.wakes).toEqual([1, 2, 1]);
  });

  test('a tenant that is held is neither forgotten nor put to sleep before the hold ends', async () => {
    let end: () => void = () => undefined;
    bench.handler = (call) => {
      call.turn();
      call.activation.exclusive.take(call);
      return new Promise((resolve) => (end = () => resolve(reply(200, {}))));
    };
    bench.receive(1);
    bench.host.forget(1);
    bench.now = 1000;
    expect([bench.host.sleepIdle(500), bench.host.awake]).toEqual([1, 1]);
    bench.handler = () => reply(200, {});
    bench.receive(1);
    await settled();
    expect([bench.sent, bench.wakes]).toEqual([[], [1, 2]]);
    end();
    await settled();
    for (const run of bench.laters.splice(0)) run();
    await settled();
    expect(bench.sent).toHaveLength(2);
    bench.receive(1);
    await settled();
    expect([bench.sent.length, bench.wakes]).toEqual([3, [1, 2, 1]]);
  });

  test('a tenant with work under way is neither put to sleep nor forgotten before the work ends', async () => {
    let end: () => void = () => undefined;
    bench.handler = () => new Promise((resolve) => (end = () => resolve(reply(200, {}))));
    bench.receive(1);
    bench.now = 1000;
    expect([bench.host.sleepIdle(500), bench.host.awakeTenants]).toEqual([1, [1]]);
    expect([bench.host.forget(1), bench.host.awakeTenants]).toEqual([false, [1]]);
    end();
    await settled();
    expect(bench.host.awakeTenants).toEqual([]);
  });

  test('who is to be forgotten begins no new calls for a while, and serves on where the work takes longer', async () => {
    let end: () => void = () => undefined;
    bench.handler = () => new Promise((resolve) => (end = () => resolve(reply(200, {}))));
    bench.receive(1);
    bench.host.forget(1);
    bench.handler = () => reply(200, {});
    bench.receive(1);
    expect(bench.sent).toEqual([]);
    expect(bench.afters.map(({ ms }) => ms)).toEqual([limits.host.forgetWaitMs]);
    bench.afters[0]!.run();
    expect([bench.sent.length, bench.wakes]).toEqual([1, [1, 2]]);
    end();
    await settled();
    expect(bench.host.awakeTenants).toEqual([2]);
    bench.receive(1);
    await settled();
    expect([bench.sent.length, bench.wakes]).toEqual([3, [1, 2, 1]]);
  });

  test('an ask under way keeps its tenant awake; one that is answered does not', async () => {
    const asked = bench.host.ask(1, 'test', 'wait', null);
    await settled();
    bench.now = 1000;
    expect([bench.host.sleepIdle(500), bench.host.awakeTenants]).toEqual([1, [1]]);
    expect(bench.host.forget(1)).toBe(false);
    bench.answer();
    expect(await asked).toBe('answered');
    expect(bench.host.awakeTenants).toEqual([]);
  });

  test('closing tells who is in a tenant, and waits until he has left', async () => {
    const asked = bench.host.ask(1, 'test', 'wait', null);
    await settled();
    const told: string[] = [];
    (await bench.host.activation(1)).exclusive.onClose(() => told.push('told'));
    const closed = bench.host.close().then(() => told.push('closed'));
    await settled();
    expect(told).toEqual(['told']);
    bench.answer();
    await Promise.all([asked, closed]);
    expect(told).toEqual(['told', 'closed']);
  });

  test('an ask resolves when what it wrote is durable', async () => {
    let result: unknown = null;
    void bench.host.ask(1, 'test', 'put', 'v').then((value) => (result = value));
    await settled();
    expect(result).toBeNull();
    bench.durable.shift()!();
    await settled();
    expect(result).toBe('done');
    await expect(bench.host.ask(1, 'test', 'absent', null)).rejects.toThrow('nobody answers');
  });

  test('an asynchronous handler lets the next turn begin and still obeys the reply rule', async () => {
    let release = (): void => undefined;
    bench.handler = async (call) => {
      await new Promise<void>((resolve) => (release = resolve));
      return writing(call);
    };
    bench.receive(1);
    bench.handler = () => reply(200, 'second');
    bench.receive(1);
    expect(bench.sent.map((sent) => sent.body)).toEqual(['"second"']);
    release();
    await settled();
    expect(bench.durable).toHaveLength(1);
  });
});

describe('a mutation that holds its tenant', () => {
  let bench: Bench;
  let finish: () => void;
  const order: string[] = [];
  beforeEach(async () => {
    bench = new Bench();
    order.length = 0;
    bench.receive(1, 2);
    await settled();
    bench.sent.length = 0;
    bench.handler = (call) => {
      order.push(`${call.no} begins`);
      if (call.no !== 0 || call.tenantNo !== 1) return reply(200, {});
      call.turn().put('k', Buffer.from('half'));
      call.activation.exclusive.take(call);
      return new Promise((resolve) => {
        finish = () => resolve(reply(200, {}));
      });
    };
  });

  test('keeps other calls of the tenant waiting, in order, and nobody else', async () => {
    bench.receive(1, 1, 2, 1);
    expect(order).toEqual(['0 begins', '2 begins']);
    finish();
    await settled();
    bench.laters.shift()!();
    expect(order).toEqual(['0 begins', '2 begins', '1 begins', '3 begins']);
    for (const then of bench.durable) then();
    expect(new Set(bench.sent.map(({ no }) => no))).toEqual(new Set([0, 1, 2, 3]));
  });

  test('may be followed by another: who waited waits again', async () => {
    const finishes: (() => void)[] = [];
    bench.handler = (call) => {
      order.push(`${call.no} begins`);
      if (call.no < 2) call.activation.exclusive.take(call);
      return new Promise((resolve) => finishes.push(() => resolve(reply(200, {}))));
    };
    bench.receive(1, 1, 1);
    expect(order).toEqual(['0 begins']);
    finishes[0]!();
    await settled();
    bench.laters.shift()!();
    expect(order).toEqual(['0 begins', '1 begins']);
    finishes[1]!();
    await settled();
    bench.laters.shift()!();
    expect(order).toEqual(['0 begins', '1 begins', '2 begins']);
    finishes[2]!();
    await settled();
    expect(bench.sent.map(({ no }) => no)).toEqual([0, 1, 2]);
  });

  test('keeps asks waiting, and is let go when it fails', async () => {
    let fail = (): void => undefined;
    bench.handler = (call) => {
      call.activation.exclusive.take(call);
      return new Promise((_, reject) => (fail = () => reject(new Error('boom'))));
    };
    bench.receive(1);
    const asked = bench.host.ask(1, 'test', 'put', 'v');
    await settled();
    expect(bench.durable).toEqual([]);
    fail();
    await settled();
    expect(bench.durable).toHaveLength(1);
    bench.durable[0]!();
    expect(await asked).toBe('done');
  });

  test('who waited for something else and comes back is shed, not let in between', async () => {
    let back = (): void => undefined;
    let calls = 0;
    bench.handler = async (call) => {
      if (++calls === 1) {
        await new Promise<void>((resolve) => (back = resolve));
        call.activation.exclusive.check(call);
        return reply(200, {});
      }
      call.activation.exclusive.take(call);
      return new Promise((resolve) => (finish = () => resolve(reply(200, {}))));
    };
    bench.receive(1, 1);
    back();
    await settled();
    expect(bench.sent).toEqual([{ no: 0, status: 503, body: '{"error":"overloaded","code":"busy"}' }]);
    expect(bench.faults).toEqual([]);
    finish();
    await settled();
    expect(bench.sent[1]).toMatchObject({ no: 1, status: 200 });
  });
});
