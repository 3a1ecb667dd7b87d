/** One relay between outboxes and a receiver that are both in this thread; each kind travels over its own topics. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { HOOK, MAIL, noticeKind } from '#runtime/relays/kinds.ts';
import { Relay, type RelayPorts } from '#runtime/relays/relay.ts';
import { Bench, FakeCourier, settledLoop } from './bench.ts';

describe('a relay', () => {
  test('hands out what is pending, and has the owner delete what was answered for', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A', 'B');
    bench.put(8, 'A');
    await settledLoop();
    expect(courier.ids).toEqual(['7 A', '7 B', '8 A']);
    courier.answer(7, 'A');
    courier.answer(8, 'A', 'refused');
    await settledLoop();
    expect([...bench.outboxes]).toEqual([
      [7, ['B']],
      [8, []],
    ]);
  });

  test('its figures: what waits, what is held and for how long, and what became of the rest', async () => {
    const bench = new Bench();
    bench.put(7, 'A', 'B');
    expect(bench.relay.figures()).toEqual({ outboxesWaiting: 1, held: 0, oldestMs: 0, settled: {} });
    const courier = bench.courier();
    await settledLoop();
    bench.nowMs = 1000;
    bench.put(8, 'C');
    await settledLoop();
    bench.nowMs = 5000;
    expect(bench.relay.figures()).toEqual({ outboxesWaiting: 0, held: 3, oldestMs: 5000, settled: {} });
    courier.answer(7, 'A');
    courier.answer(7, 'B', 'given_up');
    courier.answer(7, 'B', 'given_up');
    await settledLoop();
    expect(bench.relay.figures()).toEqual({
      outboxesWaiting: 0,
      held: 1,
      oldestMs: 4000,
      settled: { sent: 1, given_up: 1 },
    });
    bench.deleted.add(8);
    bench.relay.tenantsChanged();
    await settledLoop();
    expect(bench.relay.figures()).toMatchObject({ held: 0, oldestMs: 0 });
  });

  test('a suspended tenant hands out nothing and its parcels leave the courier; resumed, they leave once', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A', 'B');
    bench.put(8, 'A');
    await settledLoop();
    bench.suspended.add(7);
    bench.relay.tenantsChanged();
    await settledLoop();
    expect(courier.forgotten).toEqual([[7]]);
    // What was under way and has left is settled, or it would leave again.
    courier.answer(7, 'A');
    bench.put(7, 'C');
    await settledLoop();
    expect([courier.ids, bench.outboxes.get(7)]).toEqual([
      ['7 A', '7 B', '8 A'],
      ['B', 'C'],
    ]);
    bench.suspended.delete(7);
    bench.relay.pending(7);
    await settledLoop();
    expect(courier.ids.slice(3)).toEqual(['7 B', '7 C']);
  });

  test('a quota lets exactly so many leave, what is held counts, and a neighbour passes; the rest leaves once there is room', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.left.set(7, 2);
    bench.put(7, 'A', 'B', 'C', 'D');
    bench.put(8, 'A');
    await settledLoop();
    expect(courier.ids).toEqual(['7 A', '7 B', '8 A']);
    courier.answer(7, 'A');
    courier.answer(7, 'B', 'refused');
    bench.left.set(7, 1); // one was sent, and the refused one costs nothing
    await settledLoop();
    for (const again of bench.later.splice(0)) again();
    await settledLoop();
    expect(courier.ids.slice(3)).toEqual(['7 C']);
    for (const again of bench.later.splice(0)) again();
    await settledLoop();
    expect([courier.ids.length, bench.outboxes.get(7), bench.warned]).toEqual([4, ['C', 'D'], []]);
    bench.left.delete(7);
    for (const again of bench.later.splice(0)) again();
    await settledLoop();
    expect(courier.ids.slice(4)).toEqual(['7 D']);
  });

  test('the first one leaves at once, what comes soon after it leaves together, and a neighbour does not wait', async () => {
    const bench = new Bench(10);
    const courier = bench.courier();
    bench.put(7, 'A');
    await settledLoop();
    bench.put(7, 'B');
    bench.put(7, 'C');
    bench.put(8, 'A');
    await settledLoop();
    expect(courier.ids).toEqual(['7 A', '8 A']);
    for (const gathered of bench.later.splice(0)) gathered();
    await settledLoop();
    expect(courier.ids.slice(2)).toEqual(['7 B', '7 C']);
    expect(bench.wishes.map(({ tenantNo }) => tenantNo)).toEqual([7, 8, 7]);
  });

  test('an outbox that has more than was taken is asked again at once', async () => {
    const bench = new Bench(10);
    bench.left.set(7, 2);
    const courier = bench.courier();
    bench.meanwhile = () => void bench.left.set(7, 4);
    bench.put(7, 'A', 'B', 'C');
    await settledLoop();
    expect(courier.ids).toEqual(['7 A', '7 B', '7 C']);
  });

  test('an answer is counted once, however often it is given again', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A', 'B');
    await settledLoop();
    bench.hostGone = true;
    courier.answer(7, 'A');
    await settledLoop();
    bench.hostGone = false;
    bench.relay.pending(7);
    await settledLoop();
    expect(bench.counted).toMatchObject([{ tenantNo: 7, id: 'A', outcome: 'sent' }]);
  });

  test('what came before there was a courier waits for one', async () => {
    const bench = new Bench();
    bench.put(7, 'A');
    await settledLoop();
    expect(bench.wishes).toEqual([]);
    const courier = bench.courier();
    await settledLoop();
    expect(courier.ids).toEqual(['7 A']);
  });

  test('what the courier holds is not handed out twice', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    await settledLoop();
    bench.put(7, 'B');
    await settledLoop();
    expect(courier.ids).toEqual(['7 A', '7 B']);
    expect(bench.wishes.at(-1)!.except).toEqual(['A']);
  });

  test('what the courier could not take is handed over again, and what it has after all counts once there', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    courier.refuses = true;
    bench.put(7, 'A', 'B');
    await settledLoop();
    expect([courier.ids, bench.relay.figures().held]).toEqual([[], 0]);
    courier.refuses = false;
    for (const again of bench.later.splice(0)) again();
    await settledLoop();
    expect([courier.ids, bench.relay.figures().held]).toEqual([['7 A', '7 B'], 2]);
    courier.answer(7, 'A');
    await settledLoop();
    expect(bench.outboxes.get(7)).toEqual(['B']);
  });

  test('a new courier gets what the dead one had not answered for, and nothing else', async () => {
    const bench = new Bench();
    const first = bench.courier();
    bench.put(7, 'A', 'B');
    await settledLoop();
    first.answer(7, 'A');
    await settledLoop();
    first.die();
    await settledLoop();
    const second = bench.courier();
    await settledLoop();
    expect(second.ids).toEqual(['7 B']);
  });

  test('never more than the courier has room for; the rest follows the answers', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    const max = limits.mail.queueDepthMax;
    bench.put(7, ...Array.from({ length: 2 * max }, (_, no) => String(no)));
    await settledLoop();
    await settledLoop();
    expect(courier.got).toHaveLength(max);
    for (let no = 0; no < max / 4; no++) courier.answer(7, String(no));
    await settledLoop();
    await settledLoop();
    expect(courier.got).toHaveLength(max + max / 4);
  });

  test('little room is filled together with what becomes free a little later, so that its outbox is asked once for many', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    const max = limits.mail.queueDepthMax;
    bench.put(7, ...Array.from({ length: 2 * max }, (_, no) => String(no)));
    await settledLoop();
    await settledLoop();
    const asks = bench.wishes.length;
    for (let no = 0; no < 3; no++) {
      courier.answer(7, String(no));
      await settledLoop();
    }
    expect([courier.got.length, bench.wishes.length, bench.later.length]).toEqual([max, asks, 1]);
    bench.later.pop()!();
    await settledLoop();
    await settledLoop();
    expect([courier.got.length, bench.wishes.length]).toEqual([max + 3, asks + 1]);
  });

  test('an answer that did not reach its owner is given again when the tenant is reported', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    await settledLoop();
    bench.hostGone = true;
    courier.answer(7, 'A');
    await settledLoop();
    bench.hostGone = false;
    bench.relay.pending(7);
    await settledLoop();
    expect(bench.outboxes.get(7)).toEqual([]);
    expect(courier.ids).toEqual(['7 A']);
  });

  test('an outbox that cannot be reached is asked again a little later', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.hostGone = true;
    bench.put(7, 'A');
    await settledLoop();
    expect(courier.ids).toEqual([]);
    bench.hostGone = false;
    bench.later.forEach((run) => run());
    await settledLoop();
    expect(courier.ids).toEqual(['7 A']);
  });

  test.each([
    { name: 'mail', make: (ports: RelayPorts) => new Relay(MAIL, ports) },
    { name: 'webhooks', make: (ports: RelayPorts) => new Relay(HOOK, ports) },
  ])('$name of a tenant that was deleted is left: no fault, no second try', async ({ make }) => {
    const later: (() => void)[] = [];
    const warned: string[] = [];
    const relay = make({
      source: () => null,
      after: (_ms, run) => void later.push(run),
      log: { info: () => undefined, warn: (_facts, text) => void warned.push(text), error: () => undefined },
    });
    const courier = new FakeCourier();
    relay.attachReceiver(courier.near, courier.gone);
    relay.pending(7);
    await settledLoop();
    expect({ got: courier.got, warned, again: later.length }).toEqual({ got: [], warned: [], again: 0 });
  });

  test('the courier lets go of what it holds of a tenant that is deleted, and of no other', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A', 'B');
    bench.put(8, 'A');
    await settledLoop();
    bench.relay.tenantsChanged();
    bench.deleted.add(7);
    bench.relay.tenantsChanged();
    await bench.relay.recall();
    expect(new Set(courier.forgotten.flat())).toEqual(new Set([7]));
    const times = courier.forgotten.length;
    bench.relay.tenantsChanged();
    await settledLoop();
    expect(courier.forgotten).toHaveLength(times);
    courier.answer(7, 'A'); // it was on its way
    courier.answer(8, 'A');
    await settledLoop();
    expect(bench.outboxes.get(8)).toEqual([]);
  });

  test('what a tenant’s outbox gave while the tenant was deleted is not handed out', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.meanwhile = () => void bench.deleted.add(7);
    bench.put(7, 'A');
    await settledLoop();
    expect([courier.ids, bench.later]).toEqual([[], []]);
  });

  test('room that a deleted tenant took is its neighbours’ again', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, ...Array.from({ length: limits.mail.queueDepthMax }, (_, no) => String(no)));
    await settledLoop();
    bench.put(8, 'A');
    await settledLoop();
    expect(courier.ids).not.toContain('8 A');
    bench.deleted.add(7);
    await bench.relay.recall();
    await settledLoop();
    expect(courier.ids.at(-1)).toBe('8 A');
  });

  test('a courier that dies before it has let go holds nothing: a deletion does not wait for it', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    await settledLoop();
    courier.far.answer('courier.forget', () => new Promise(() => undefined));
    bench.deleted.add(7);
    const recalled = bench.relay.recall();
    courier.die();
    await recalled;
    const second = bench.courier();
    await bench.relay.recall();
    await settledLoop();
    expect([second.ids, second.forgotten, bench.later]).toEqual([[], [], []]);
  });

  test('a courier that cannot let go is asked again, and a deletion fails until it can', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    await settledLoop();
    courier.far.answer('courier.forget', () => Promise.reject(new Error('not now')));
    bench.deleted.add(7);
    bench.relay.tenantsChanged();
    bench.relay.tenantsChanged();
    await expect(bench.relay.recall()).rejects.toThrow('not now');
    courier.far.answer('courier.forget', (tenantNos) => {
      courier.forgotten.push(tenantNos);
      return null;
    });
    expect(bench.later).toHaveLength(1);
    bench.later.forEach((run) => run());
    await settledLoop();
    expect(courier.forgotten).toEqual([[7]]);
  });

  test('a host tells over its channel', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.outboxes.set(9, ['A']);
    bench.host.tell('mail.pending', { tenantNo: 9 });
    await settledLoop();
    expect(courier.ids).toEqual(['9 A']);
  });

  test('an answer whose outbox failed once is given again by itself: the room that it took is free then', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    await settledLoop();
    bench.hostGone = true;
    courier.answer(7, 'A');
    await settledLoop();
    bench.hostGone = false;
    expect(bench.later).toHaveLength(1);
    bench.later.forEach((run) => run());
    await settledLoop();
    expect([bench.outboxes.get(7), courier.ids]).toEqual([[], ['7 A']]);
  });

  test('a node that stops waits for what is being handed over, and warns of nothing', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    bench.relay.stop();
    await bench.relay.quiet(1000);
    expect(courier.ids).toEqual(['7 A']);
    bench.hostGone = true;
    courier.answer(7, 'A');
    bench.put(8, 'A');
    await settledLoop();
    expect(bench.warned).toEqual([]);
  });
});

test('a notice is known by its submission and its kind, and is no tenant’s', () => {
  const kind = noticeKind(2);
  expect(kind.placeOf({ id: 'S', kind: 'email', outcome: 'sent' })).toEqual({ tenantNo: 0, id: 'S email' });
});
