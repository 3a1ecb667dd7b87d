import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Call, type CompiledRoute } from '#actors/host/call.ts';
import { TurnRing } from '#actors/host/mailbox.ts';

const route = { paramNames: [], row: {} } as unknown as CompiledRoute;
const call = (tenantNo: number, no: number): Call => new Call(no, route, tenantNo, 'GET', '', '', '', '', '', '');

function taken(ring: TurnRing): number[] {
  const out: number[] = [];
  for (let next = ring.take(); next !== undefined; next = ring.take()) out.push(next.no);
  return out;
}

test('each tenant takes one turn, then the next; within a tenant the order of arrival', () => {
  const ring = new TurnRing(10);
  for (const [tenantNo, no] of [
    [1, 10],
    [1, 11],
    [1, 12],
    [2, 20],
    [3, 30],
    [3, 31],
  ])
    ring.offer(call(tenantNo!, no!));
  expect(ring.depth).toBe(6);
  expect(taken(ring)).toEqual([10, 20, 30, 11, 31, 12]);
  expect(ring.depth).toBe(0);
  expect(ring.take()).toBeUndefined();
});

test('a full mailbox sheds; the others are not full', () => {
  const ring = new TurnRing(2);
  expect([1, 2, 3].map((no) => ring.offer(call(1, no)))).toEqual([true, true, false]);
  expect(ring.offer(call(2, 4))).toBe(true);
  ring.take();
  expect(ring.offer(call(1, 5))).toBe(true);
});

test('a paused tenant waits without holding the others up, and goes on where it was', () => {
  const ring = new TurnRing(10);
  for (const no of [10, 11]) ring.offer(call(1, no));
  ring.offer(call(2, 20));
  ring.pause(1);
  expect(taken(ring)).toEqual([20]);
  ring.offer(call(1, 12));
  expect(ring.take()).toBeUndefined();
  ring.resume(1);
  expect(taken(ring)).toEqual([10, 11, 12]);
});

test('forgets an empty mailbox only', () => {
  const ring = new TurnRing(10);
  ring.offer(call(1, 10));
  ring.forget(1);
  expect(ring.box(1).depth).toBe(1);
  expect(taken(ring)).toEqual([10]);
  const box = ring.box(1);
  ring.forget(1);
  expect(ring.box(1)).not.toBe(box);
});

test('ten thousand calls of two tenants come out in order, each tenant at most one ahead', () => {
  const ring = new TurnRing(10_000);
  for (let no = 0; no < 5000; no++) {
    ring.offer(call(1, no));
    ring.offer(call(2, no));
  }
  const order = taken(ring);
  expect(order).toEqual(Array.from({ length: 10_000 }, (_, i) => Math.floor(i / 2)));
});

test('holds nothing of a call that was taken, although its tenant always has another waiting', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const ring = new TurnRing(10);
  const taken: WeakRef<Call>[] = [];
  ring.offer(call(1, 0));
  for (let no = 1; no <= 20; no++) {
    ring.offer(call(1, no));
    taken.push(new WeakRef(ring.take()!));
  }
  expect(ring.depth).toBe(1);
  await new Promise((resolve) => setImmediate(resolve)); // a weak reference holds its target until the job is over
  collect();
  expect(taken.filter((one) => one.deref() !== undefined)).toHaveLength(0);
});

test('one that grows while its first call lies in the middle keeps the order', () => {
  const ring = new TurnRing(100);
  for (let no = 0; no < 10; no++) ring.offer(call(1, no));
  const order = Array.from({ length: 10 }, () => ring.take()!.no);
  for (let no = 10; no < 60; no++) ring.offer(call(1, no));
  expect([...order, ...taken(ring)]).toEqual(Array.from({ length: 60 }, (_, no) => no));
});
