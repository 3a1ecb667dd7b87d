import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { StorageFull } from '#storage/fault.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { reply } from '#actors/protocol/route.ts';
import { Bench, refuse, settled, writing } from './host-bench.ts';

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

  test('a call that arrives behind the flood of another tenant has the second turn', () => {
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
    bench.arrive(...new Array<number>(64).fill(1));
    bench.laters.shift()!();
    expect(bench.sent.length).toBeLessThan(64);
    while (bench.laters.length > 0) bench.laters.shift()!();
    expect(bench.sent).toHaveLength(64);
  });

  test('a turn that goes on in microtasks ends the turn of the event loop: what it does there counts for it alone', async () => {
    const begun: number[] = [];
    bench.handler = (call) => {
      begun.push(call.no);
      return Promise.resolve(reply(200, {}));
    };
    bench.arrive(1, 1, 2);
    await settled();
    for (let turn = 1; turn <= 3; turn++) {
      bench.laters.shift()!();
      expect(begun).toHaveLength(turn);
    }
    expect(begun).toEqual([0, 2, 1]);
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

  test('a tenant that is to be forgotten begins no new calls for a while, and serves on where the work takes longer', async () => {
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

  test('closing tells the calls that are in a tenant, and waits until they have left', async () => {
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

  test('closing waits for a tenant that wakes, and then none is woken or asked', async () => {
    const { wake } = bench;
    const woken: (() => void)[] = [];
    bench.wake = (no) => new Promise((resolve) => woken.push(() => resolve(bench.activation(no))));
    const waking = bench.host.activation(7);
    let isClosed = false;
    const closed = bench.host.close().then(() => (isClosed = true));
    await settled();
    expect(isClosed).toBe(false);
    woken[0]!();
    await Promise.all([waking, closed]);
    bench.wake = wake;
    await expect(bench.host.activation(8)).rejects.toThrow('the host is about to end');
    await expect(bench.host.ask(1, 'test', 'wait', null)).rejects.toThrow('the host is about to end');
  });

  test('an ask resolves when what it wrote is durable', async () => {
    let result: unknown = null;
    void bench.host.ask(1, 'test', 'put', 'v').then((value) => (result = value));
    await settled();
    expect(result).toBeNull();
    bench.durable.shift()!();
    await settled();
    expect(result).toBe('done');
    await expect(bench.host.ask(1, 'test', 'absent', null)).rejects.toThrow('test has no answerer for absent');
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
