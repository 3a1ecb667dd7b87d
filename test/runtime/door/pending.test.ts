import { expect, test } from 'vitest';
import { Desk } from '#runtime/door/desk.ts';
import { PendingVisits } from '#runtime/door/pending.ts';
import type { Visit } from '#runtime/door/port.ts';

const visit = (): Visit => ({}) as unknown as Visit;

test('settles each visit once, with its own request id and route', () => {
  const pending = new PendingVisits();
  const desk = new Desk('host-0');
  const [a, b] = [visit(), visit()];
  const first = pending.open(a, 'id-a', desk, 3);
  const second = pending.open(b, 'id-b', desk, 4);
  expect(pending.count).toBe(2);
  expect(pending.settle(second)).toEqual({ visit: b, requestId: 'id-b', desk, route: 4, stream: null });
  expect(pending.settle(first)).toEqual({ visit: a, requestId: 'id-a', desk, route: 3, stream: null });
  expect(pending.count).toBe(0);
  expect([pending.settle(first), pending.settle(99)]).toEqual([null, null]);
});

test('numbers are used again, so the table stays as small as the concurrency', () => {
  const pending = new PendingVisits();
  const desk = new Desk('host-0');
  for (let i = 0; i < 1000; i++) {
    const no = pending.open(visit(), `${i}`, desk, 0);
    expect(no).toBeLessThan(2);
    const other = pending.open(visit(), `${i}'`, desk, 0);
    expect(other).toBeLessThan(2);
    pending.settle(no);
    pending.settle(other);
  }
});

test("a lost desk's visits are settled, the others wait on; a late reply of the dead thread finds nothing", () => {
  const pending = new PendingVisits();
  const [dead, alive] = [new Desk('host-0'), new Desk('host-1')];
  const lost = [pending.open(visit(), 'a', dead, 1), pending.open(visit(), 'b', dead, 1)];
  const kept = pending.open(visit(), 'c', alive, 1);
  expect(pending.settleAll(dead).map(({ requestId }) => requestId)).toEqual(['a', 'b']);
  for (const no of lost) expect(pending.settle(no)).toBeNull();
  expect(pending.settle(kept)?.requestId).toBe('c');
});
