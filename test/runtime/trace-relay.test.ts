import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import type { TraceReport } from '#actors/protocol/traces.ts';
import { cellOf } from '#runtime/observe/metric-table.ts';
import { TraceRelay } from '#runtime/trace-relay.ts';

function bench() {
  const counts = new Map<number, number>();
  const asked: { readonly body: unknown; readonly settle: (fails: boolean) => void }[] = [];
  const state = { courier: true };
  const courier = {
    ask: (_topic: string, body: unknown) =>
      new Promise<null>((resolve, reject) => {
        asked.push({ body, settle: (fails) => (fails ? reject(new Error('gone')) : resolve(null)) });
      }),
  } as unknown as Channel;
  const relay = new TraceRelay({
    isOn: true,
    meter: { add: (cell, by) => void counts.set(cell, (counts.get(cell) ?? 0) + (by ?? 1)) },
    courier: () => (state.courier ? courier : undefined),
  });
  const count = (...of: Parameters<typeof cellOf>) => counts.get(cellOf(...of)) ?? 0;
  return { relay, asked, count, state };
}

const batch = { spans: '[1,2]', count: 2 };

test('batches are passed on unread; a courier that does not keep up, is gone, or goes costs spans and nothing else', async () => {
  const { relay, asked, count, state } = bench();
  for (let i = 0; i < limits.traces.handedOverMax + 1; i++) relay.take(batch);
  expect(asked).toHaveLength(limits.traces.handedOverMax);
  expect(asked[0]!.body).toBe(batch);
  expect(count('spansDropped', 'full')).toBe(2);
  asked[0]!.settle(false);
  asked[1]!.settle(true);
  await new Promise(setImmediate);
  expect(count('spansDropped', 'lost')).toBe(2);
  relay.take(batch);
  expect(asked).toHaveLength(limits.traces.handedOverMax + 1);
  state.courier = false;
  relay.take(batch);
  expect(count('spansDropped', 'lost')).toBe(4);
});

test("the courier's reports are counted, and only threads with requests send spans", () => {
  const { relay, count, asked } = bench();
  const answers = new Map<string, (body: never) => unknown>();
  const channel = { answer: (topic: string, then: never) => void answers.set(topic, then) } as unknown as Channel;
  const gone = new Promise<void>(() => undefined);
  relay.attach('rate-keeper', channel, gone);
  expect([...answers.keys()]).toEqual([]);
  relay.attach('tenant-host', channel, gone);
  relay.attach('courier', channel, gone);
  expect([...answers.keys()]).toEqual(['node.spans', 'courier.exported']);
  answers.get('node.spans')!(batch as never);
  expect(asked).toHaveLength(1);
  const report: TraceReport = { exported: 5, failures: 1, dropped: { refused: 3 } };
  answers.get('courier.exported')!(report as never);
  expect([count('spansExported'), count('traceFailures'), count('spansDropped', 'refused')]).toEqual([5, 1, 3]);
});

test('at a stop the hosts hand over what they have, and the courier has it before it is drained', async () => {
  const { relay, asked } = bench();
  const host = (answers: boolean) =>
    ({
      ask: (topic: string) => {
        expect(topic).toBe('host.spans');
        relay.take(batch);
        return answers ? Promise.resolve(null) : Promise.reject(new Error('gone'));
      },
    }) as unknown as Channel;
  let isOver = false;
  const handedOver = relay.handedOver([host(true), host(false)]).then(() => (isOver = true));
  await new Promise(setImmediate);
  expect([asked.length, isOver]).toEqual([2, false]);
  for (const { settle } of asked) settle(false);
  await handedOver;
});

test('a courier that dies takes the spans that it had not reported on: they are counted as lost, once', async () => {
  const { relay, count, asked } = bench();
  const answers = new Map<string, (body: never) => unknown>();
  const channel = { answer: (topic: string, then: never) => void answers.set(topic, then) } as unknown as Channel;
  let die: () => void = () => undefined;
  relay.attach('courier', channel, new Promise<void>((resolve) => (die = resolve)));
  const report = (told: TraceReport) => answers.get('courier.exported')!(told as never);
  for (let i = 0; i < 4; i++) relay.take(batch);
  for (const { settle } of asked) settle(false);
  await new Promise(setImmediate);
  report({ exported: 0, dropped: {}, failures: 0, own: 3 });
  report({ exported: 5, dropped: { refused: 1, full: 1 }, failures: 0 });
  die();
  await new Promise(setImmediate);
  expect(count('spansDropped', 'lost')).toBe(8 + 3 - 7);
});
