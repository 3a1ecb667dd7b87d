import { beforeEach, describe, expect, test } from 'vitest';
import { anyone, callers } from '#actors/protocol/callers.ts';
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { StorageFull } from '#storage/fault.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Call, CompiledRoute } from '#actors/host/call.ts';
import { Exclusive } from '#actors/host/exclusive.ts';
import { Host } from '#actors/host/host.ts';
import { replaying } from '#actors/host/idempotency/replay.ts';
import { askInside, type InsideRequest } from '#actors/host/inside.ts';
import type { InsideAnswer } from '#actors/host/inside-answer.ts';
import type { AnyHandler, Service } from '#actors/host/service.ts';
import { Work } from '#actors/host/work.ts';
import { REQUESTS } from '#actors/protocol/frame.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { ANONYMOUS } from '#actors/protocol/principal.ts';
import { defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';
import { reply, replyStream, type Reply, type RouteRow } from '#actors/protocol/route.ts';

const refuse = refuserOf(
  defineRefusals({
    nope: { statuses: [403], family: 'coded', cause: 'no' },
    who: { statuses: [401], family: 'plain', cause: 'Unauthorized' },
    busy: { statuses: [503], family: 'coded', cause: 'busy' },
  }),
);

const base: Omit<RouteRow, 'methods' | 'path'> = {
  position: 'door',
  callers: callers({ users: [{}] }),
  body: 'json',
  headers: ['x-word'],
  ack: 'fsync',
  replies: { 200: z.unknown() },
  refusals: ['nope', 'who'],
  summary: 'a test route',
};

const rows: Record<string, RouteRow> = {
  front: { ...base, callers: anyone(), methods: ['GET'], path: '/front' },
  back: { ...base, methods: ['POST'], path: '/back/{id}/{part}', bodyBytesMax: 100 },
  parts: { ...base, methods: ['POST'], path: '/parts', body: 'stream' },
};

class Bench {
  readonly sent: { status: number; body: string }[] = [];
  readonly durable: [number, () => void][] = [];
  readonly faults: object[] = [];
  readonly store = new MemoryStore();
  readonly seen: Call[] = [];
  front: AnyHandler = () => reply(200, {});
  back: AnyHandler = () => reply(200, { ok: true });
  parts: AnyHandler = () => reply(200, {});
  activation: Activation | null = null;
  readonly host: Host;

  constructor() {
    const names = Object.keys(rows);
    const routes = names.map((name, no): CompiledRoute => {
      const paramNames = [...rows[name]!.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
      return { no, name, service: name === 'front' ? 'front' : 'back', row: rows[name]!, paramNames };
    });
    const serviceOf = (name: string, handlers: Record<string, AnyHandler>): Service => ({
      name,
      routes: {},
      handlers,
      authenticate: (call) =>
        call.authorization === 'Bearer good' ? { ...ANONYMOUS, type: 'user', subject: 'u1' } : refuse('who'),
      unavailable: (_call, why) => refuse('busy', { message: why }),
      activate: () => undefined,
    });
    const back = (handler: (call: Call) => ReturnType<AnyHandler>): AnyHandler => {
      return (call) => {
        this.seen.push(call);
        return handler(call);
      };
    };
    this.host = new Host({
      log: { info: () => undefined, warn: () => undefined, error: (fields) => this.faults.push(fields) },
      routes,
      services: new Map([
        ['front', serviceOf('front', { front: (call) => this.front(call) })],
        ['back', serviceOf('back', { back: back((call) => this.back(call)), parts: back((call) => this.parts(call)) })],
      ]),
      wake: () => Promise.resolve((this.activation = this.#activation())),
      planeNo: null,
      send: (_no, status, _headers, body) => this.sent.push({ status, body: body as string }),
      later: setImmediate,
      monotonic: () => 0,
    });
  }

  #activation(): Activation {
    const position = parsePosition('a:b:c:d')!;
    const { store } = this;
    store.whenDurable = (newest, then) => void this.durable.push([newest, then]);
    return {
      position,
      tenantNo: 1,
      store,
      product: null!,
      context: { clock: { now: () => 0 } } as never,
      exclusive: new Exclusive(),
    };
  }

  /** Sends one request to the front, whose handler asks the back. */
  async through(request: Partial<InsideRequest>, authorization = ''): Promise<InsideAnswer> {
    let got: InsideAnswer | null = null;
    this.front = async (call) => {
      got = await ask(call, request);
      return reply(200, {});
    };
    await this.answered('', authorization);
    return got!;
  }

  /** Sends one request to the front, with lines of headers, and waits for its answer or what that waits for. */
  async answered(extra = '', authorization = ''): Promise<void> {
    this.sent.length = 0;
    this.durable.length = 0;
    this.host.receive([REQUESTS, 1, 0, 1, 0, '', '', authorization, 'req-7', extra, '']);
    await expect.poll(() => this.sent.length + this.durable.length).toBeGreaterThan(0);
  }
}

const ask = (call: Work, request: Partial<InsideRequest>): Promise<InsideAnswer> =>
  askInside(call, { service: 'back', method: 'POST', path: '/back/a/b', as: 'internal', ...request });

describe('a call inside a tenant', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });

  test('reaches the other service by its row: parameters, query, named headers, body and request id', async () => {
    bench.back = (call) =>
      reply(200, {
        id: call.param('id'),
        part: call.param('part'),
        limit: call.query.get('limit'),
        word: call.header('x-word'),
        other: call.header('x-other') ?? null,
        body: call.json(),
        request: call.requestId,
        tenant: call.tenantNo,
        position: call.activation.position.key,
      });
    const headers = { 'x-word': 'w\nx-other: slipped', 'x-other': 'o' };
    const got = await bench.through({ path: '/back/a%2Fb/ü', query: 'limit=3', headers, body: '{"k":"é"}' });
    expect(got.headers['Content-Type']).toBe('application/json; charset=utf-8');
    expect(got.ok).toBe(true);
    expect(got.json()).toEqual({
      id: 'a/b',
      part: 'ü',
      limit: '3',
      word: 'w x-other: slipped',
      other: null,
      body: { ok: true, value: { k: 'é' } },
      request: 'req-7',
      tenant: 1,
      position: 'a:b:c:d',
    });
  });

  test('as the caller: the other service judges the caller’s credential, or that there is none', async () => {
    bench.back = (call) => reply(200, { subject: call.principal!.subject, type: call.principal!.type });
    expect(await bench.through({ as: 'caller' })).toMatchObject({ status: 401, text: 'Unauthorized' });
    expect(bench.seen).toEqual([]);
    expect((await bench.through({ as: 'caller' }, 'Bearer good')).json()).toEqual({ subject: 'u1', type: 'user' });
  });

  test('as the node: the internal identity, and the credential of the caller does not travel', async () => {
    bench.back = (call) => reply(200, { type: call.principal!.type, authorization: call.authorization });
    expect((await bench.through({}, 'Bearer good')).json()).toEqual({ type: 'internal', authorization: '' });
  });

  test('no such path, a path of another service, no such verb, too large a body', async () => {
    expect((await bench.through({ path: '/nowhere' })).status).toBe(404);
    expect((await bench.through({ service: 'front' })).status).toBe(404);
    expect((await bench.through({ method: 'GET' })).status).toBe(405);
    expect((await bench.through({ body: 'x'.repeat(101) })).status).toBe(413);
    expect(bench.seen).toEqual([]);
  });

  test('what the other wrote is committed by itself, and the reply of the caller waits until it is durable', async () => {
    bench.back = (call) => {
      call.turn().put('k', Buffer.from('v'));
      return reply(200, {});
    };
    await bench.through({});
    expect(bench.store.begin().get('k')).toEqual(Buffer.from('v'));
    expect(bench.sent).toEqual([]);
    expect(bench.durable).toHaveLength(1);
    bench.durable[0]![1]();
    expect(bench.sent).toEqual([{ status: 200, body: '{}' }]);
  });

  test('what the caller carries is in the commit of the other service, and nowhere where nothing is written', async () => {
    const carry = async (): Promise<[unknown, unknown]> => {
      bench.front = async (call) => {
        call.carried = (turn) => turn.put('claim', Buffer.from('c'));
        await ask(call, {});
        return reply(200, {});
      };
      await bench.answered();
      const turn = bench.store.begin();
      return [turn.get('k')?.toString(), turn.get('claim')?.toString()];
    };
    bench.back = () => reply(200, {});
    expect(await carry()).toEqual([undefined, undefined]);
    bench.back = (call) => {
      call.turn().put('k', Buffer.from('v'));
      return refuse('nope');
    };
    expect(await carry()).toEqual([undefined, undefined]);
    bench.back = (call) => {
      call.turn().put('k', Buffer.from('v'));
      return reply(200, {});
    };
    expect(await carry()).toEqual(['v', 'c']);
  });

  test('a key that was claimed inside, and whose answer never came, is not carried out again', async () => {
    const once = {
      invalid: () => refuse('nope'),
      reused: () => refuse('nope'),
      inUse: (told: object) => refuse('nope', told),
      claiming: new Set<string>(),
    };
    const keyedRow = { front: { ...rows['front']!, headers: ['idempotency-key'] } };
    const { front } = replaying(
      keyedRow,
      {
        front: async (call: Call) => {
          await ask(call, {});
          throw new Error('the thread ends here');
        },
      },
      once,
    ) as unknown as Record<string, AnyHandler>;
    bench.front = (call) => {
      call.principal = { ...ANONYMOUS, type: 'user', subject: 'u1' };
      return front!(call);
    };
    bench.back = (call) => {
      call.turn().put('k', Buffer.from('v'));
      return reply(200, {});
    };
    await bench.answered('idempotency-key:k1\n');
    await bench.answered('idempotency-key:k1\n');
    expect(bench.seen).toHaveLength(1);
    expect(JSON.parse(bench.sent[0]!.body)).toMatchObject({ code: 'nope', details: { written: true } });
  });

  test('a refusal of the other keeps nothing of its turn, and is an answer', async () => {
    bench.back = (call) => {
      call.turn().put('k', Buffer.from('v'));
      return refuse('nope');
    };
    const got = await bench.through({});
    expect([got.status, got.json()]).toEqual([403, { error: 'no', code: 'nope' }]);
    expect(bench.store.begin().get('k')).toBeUndefined();
  });

  test('a fault of the other is its unavailability: logged, answered, nothing kept', async () => {
    bench.back = (call) => {
      call.turn().put('k', Buffer.from('v'));
      throw new Error('broken');
    };
    expect((await bench.through({})).json()).toEqual({ error: 'fault', code: 'busy' });
    expect(bench.faults).toHaveLength(1);
    bench.back = () => {
      throw new StorageFull('overlay');
    };
    expect((await bench.through({})).json()).toEqual({ error: 'overloaded', code: 'busy' });
    expect(bench.faults).toHaveLength(1);
    expect(bench.store.begin().get('k')).toBeUndefined();
  });

  test('waits while another has the tenant to itself', async () => {
    await bench.through({});
    bench.sent.length = 0;
    const { exclusive } = bench.activation!;
    const holder = new Work(bench.activation);
    const asker = new Work(bench.activation);
    exclusive.take(holder);
    bench.seen.length = 0;
    const answer = ask(asker, {});
    await new Promise(setImmediate);
    expect(bench.seen).toEqual([]);
    holder.commit();
    expect((await answer).status).toBe(200);
  });

  test('refuses a call that has staged something, one that holds the tenant, and a circle', async () => {
    await bench.through({});
    const staged = new Work(bench.activation);
    staged.turn().put('k', Buffer.from('v'));
    await expect(ask(staged, {})).rejects.toThrow('commits first');
    const holder = new Work(bench.activation);
    bench.activation!.exclusive.take(holder);
    await expect(ask(holder, {})).rejects.toThrow('may not ask another service');
    holder.abort();
    let deepest = 0;
    bench.back = async (call) => {
      deepest = Math.max(deepest, call.depth);
      return reply(200, (await ask(call, {})).json());
    };
    expect((await bench.through({})).json()).toEqual({ error: 'fault', code: 'busy' });
    expect(deepest).toBe(limits.host.insideDepthMax);
  });

  test('bodies in pieces both ways', async () => {
    bench.parts = async (call): Promise<Reply> => {
      const read: Uint8Array[] = [];
      for await (const piece of call.stream!) read.push(piece);
      const pieces = (async function* () {
        for (const piece of read) yield Buffer.from(Buffer.from(piece).toString().toUpperCase());
      })();
      return replyStream(200, { length: 3, pieces }, 'text/x', { 'X-Type': call.header('content-type') ?? '' });
    };
    const got = await bench.through({
      path: '/parts',
      body: Buffer.from('abc'),
      headers: { 'content-type': 'text/y' },
    });
    const pieces: string[] = [];
    for await (const piece of got.stream!.pieces) pieces.push(Buffer.from(piece).toString());
    expect([got.headers, got.stream!.length, pieces]).toEqual([
      { 'Content-Type': 'text/x', 'X-Type': 'text/y' },
      3,
      ['ABC'],
    ]);
  });

  test('large bodies, asked with and answered, are read in slices of their own: others have their turns between', async () => {
    const large = 'x'.repeat(limits.host.insideSliceMin);
    let turns = 0;
    const turn = (): void => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const before: number[] = [];
    let answered = 0;
    bench.parts = (): Reply => {
      before.push(turns);
      return reply(200, { large });
    };
    bench.front = async (call) => {
      const began = turns;
      await ask(call, { path: '/parts', body: large });
      answered = turns - before[0]!;
      before[0]! -= began;
      return reply(200, {});
    };
    await bench.answered();
    clearImmediate(next);
    expect(before[0]).toBeGreaterThan(0);
    expect(answered).toBeGreaterThan(0);
  });
});
