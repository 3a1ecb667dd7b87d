import { beforeEach, describe, expect, test } from 'vitest';
import { reply } from '#actors/protocol/route.ts';
import { Bench, settled } from './host-bench.ts';

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

  test('keeps other calls of the tenant waiting, in order, and no other tenant', async () => {
    bench.receive(1, 1, 2, 1);
    expect(order).toEqual(['0 begins', '2 begins']);
    finish();
    await settled();
    bench.laters.shift()!();
    expect(order).toEqual(['0 begins', '2 begins', '1 begins', '3 begins']);
    for (const then of bench.durable) then();
    expect(new Set(bench.sent.map(({ no }) => no))).toEqual(new Set([0, 1, 2, 3]));
  });

  test('may be followed by another: a call that waited waits again', async () => {
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

  test('a call that waited for something else and comes back is shed, not let in between', async () => {
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
