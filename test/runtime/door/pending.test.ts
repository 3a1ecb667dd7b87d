import { expect, test } from 'vitest';
import type { CompiledRoute } from '#actors/host/call.ts';
import { anyone } from '#actors/protocol/callers.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { Arrival } from '#runtime/door/arrival.ts';
import { Desk } from '#runtime/door/desk.ts';
import { PendingVisits } from '#runtime/door/pending.ts';
import type { Visit } from '#runtime/door/port.ts';

const row: RouteRow = {
  methods: ['GET'],
  path: '/x',
  position: 'none',
  callers: anyone(),
  body: 'none',
  ack: 'fsync',
  replies: {},
  refusals: [],
  summary: '',
};
const route = (no: number): CompiledRoute => ({ no, name: 'x', service: 'x', row, paramNames: [] });
const visit = (): Visit => ({}) as unknown as Visit;

function arrival(requestId: string, desk: Desk, no = 0): Arrival {
  const one = new Arrival(visit(), requestId, route(no), 0, '', () => '');
  one.desk = desk;
  return one;
}

test('settles each visit once, with its own request id and route', () => {
  const pending = new PendingVisits();
  const desk = new Desk('host-0');
  const [a, b] = [arrival('id-a', desk, 3), arrival('id-b', desk, 4)];
  const first = pending.open(a);
  const second = pending.open(b);
  expect([pending.count, desk.inFlight]).toEqual([2, 2]);
  expect(pending.settle(second)).toBe(b);
  expect(pending.settle(first)).toBe(a);
  expect(desk.inFlight).toBe(0);
  expect(pending.count).toBe(0);
  expect([pending.settle(first), pending.settle(99)]).toEqual([null, null]);
});

test('numbers are used again, so the table stays as small as the concurrency', () => {
  const pending = new PendingVisits();
  const desk = new Desk('host-0');
  for (let i = 0; i < 1000; i++) {
    const no = pending.open(arrival(`${i}`, desk));
    expect(no).toBeLessThan(2);
    const other = pending.open(arrival(`${i}'`, desk));
    expect(other).toBeLessThan(2);
    pending.settle(no);
    pending.settle(other);
  }
});

test("a lost desk's visits are settled, the others wait on; a late reply of the dead thread finds nothing", () => {
  const pending = new PendingVisits();
  const [dead, alive] = [new Desk('host-0'), new Desk('host-1')];
  const lost = [pending.open(arrival('a', dead)), pending.open(arrival('b', dead))];
  const kept = pending.open(arrival('c', alive));
  expect(pending.settleAll(dead).map(({ requestId }) => requestId)).toEqual(['a', 'b']);
  for (const no of lost) expect(pending.settle(no)).toBeNull();
  expect(pending.settle(kept)?.requestId).toBe('c');
});
