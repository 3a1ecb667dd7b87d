import { expect, test } from 'vitest';
import { Desk } from '#runtime/door/desk.ts';
import { PendingVisits } from '#runtime/door/pending.ts';
import type { Visit } from '#runtime/door/port.ts';

const visit = (): Visit => ({}) as unknown as Visit;
const none = (): never => {
  throw new Error('nothing waits under this number');
};

test('settles each visit once, with its own request id and route', () => {
  const pending = new PendingVisits();
  const desk = new Desk('host-0');
  const [a, b] = [visit(), visit()];
  const first = pending.open(a, 'id-a', desk, 3);
  const second = pending.open(b, 'id-b', desk, 4);
  expect(pending.count).toBe(2);
  const seen: unknown[] = [];
  pending.settle(second, (...args) => void seen.push(args));
  pending.settle(first, (...args) => void seen.push(args));
  expect(seen).toEqual([
    [b, 'id-b', 4],
    [a, 'id-a', 3],
  ]);
  expect(pending.count).toBe(0);
  pending.settle(first, none);
  pending.settle(99, none);
});

test('numbers are used again, so the table stays as small as the concurrency', () => {
  const pending = new PendingVisits();
  const desk = new Desk('host-0');
  for (let i = 0; i < 1000; i++) {
    const no = pending.open(visit(), `${i}`, desk, 0);
    expect(no).toBeLessThan(2);
    const other = pending.open(visit(), `${i}'`, desk, 0);
    expect(other).toBeLessThan(2);
    pending.settle(no, () => undefined);
    pending.settle(other, () => undefined);
  }
});

test("a lost desk's visits are settled, the others wait on; a late reply of the dead thread finds nothing", () => {
  const pending = new PendingVisits();
  const [dead, alive] = [new Desk('host-0'), new Desk('host-1')];
  const lost = [pending.open(visit(), 'a', dead, 1), pending.open(visit(), 'b', dead, 1)];
  const kept = pending.open(visit(), 'c', alive, 1);
  const settled: string[] = [];
  pending.settleAll(dead, (_visit, id) => void settled.push(id));
  expect(settled).toEqual(['a', 'b']);
  for (const no of lost) pending.settle(no, none);
  pending.settle(kept, (_visit, id) => void settled.push(id));
  expect(settled).toEqual(['a', 'b', 'c']);
});
