/** What a host says in shared memory of what it is at. */
import { expect, test } from 'vitest';
import { createPulse, Pulse, readPulse } from '#actors/host/pulse.ts';
import { reply } from '#actors/protocol/route.ts';
import { Bench, settled } from './host-bench.ts';

test('a call is seen by tenant, route and number while its turn lasts, and not afterwards', async () => {
  const cells = createPulse();
  const bench = new Bench(new Pulse(cells));
  const seen: unknown[] = [];
  bench.handler = (call) => {
    const { activity, tenantNo, routeNo, call: no } = readPulse(cells);
    seen.push([activity, tenantNo, routeNo, no, call.no]);
    return reply(200, {});
  };
  bench.receive(7);
  await settled(); // it woke the tenant
  expect(seen).toEqual([['request', 7, 0, 0, 0]]);
  const before = readPulse(cells);
  expect(before.activity).toBe('loop');
  bench.receive(7, 7);
  expect(seen).toHaveLength(3);
  expect(seen[2]).toEqual(['request', 7, 0, 1, 1]);
  expect(readPulse(cells).beats).toBe(before.beats + 4);
});

test('an ask of the node is seen as one of its tenant; a beat ends what was marked and never ended', async () => {
  const cells = createPulse();
  const pulse = new Pulse(cells);
  const bench = new Bench(pulse);
  await bench.host.activation(3);
  const before = readPulse(cells).beats;
  const asked = bench.host.ask(3, 'test', 'wait', null);
  await settled();
  expect(readPulse(cells)).toMatchObject({ activity: 'loop', tenantNo: 3, beats: before + 2 });
  bench.answer();
  await asked;
  pulse.mark('wake', 5);
  expect(readPulse(cells)).toMatchObject({ activity: 'wake', tenantNo: 5, call: -1 });
  pulse.beat();
  expect(readPulse(cells)).toMatchObject({ activity: 'loop', beats: before + 4 });
});
