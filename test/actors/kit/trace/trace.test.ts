import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { Span } from '#actors/kit/trace/span.ts';
import { Spans } from '#actors/kit/trace/spans.ts';
import { Trace, traced } from '#actors/kit/trace/trace.ts';

const TRACE = 'a'.repeat(32);
const DOOR = 'b'.repeat(16);

function bench() {
  const state = { now: 100, drawn: 0 };
  const batches: { readonly spans: readonly Span[]; readonly count: number }[] = [];
  const later: (() => void)[] = [];
  const spans = new Spans({
    now: () => state.now,
    random: (bytes) => Buffer.alloc(bytes, state.drawn++),
    handOver: (text, count) => batches.push({ spans: JSON.parse(text) as Span[], count }),
    after: (_ms, run) => void later.push(run),
  });
  return { state, spans, batches, later, all: () => batches.flatMap((batch) => batch.spans) };
}

test('spans are handed over together, after a while or when there are many', () => {
  const { spans, batches, later } = bench();
  const trace = Trace.under(spans, TRACE, DOOR, 'a=1');
  const one = { name: 'one', startMs: 1, endMs: 2 };
  trace.add(one);
  trace.add(one);
  expect([batches.length, later.length]).toEqual([0, 1]);
  later[0]!();
  expect(batches.map(({ count }) => count)).toEqual([2]);
  for (let i = 0; i < limits.traces.handOverSpans; i++) Trace.under(spans, TRACE, DOOR, '').add(one);
  expect(batches.map(({ count }) => count)).toEqual([2, limits.traces.handOverSpans]);
  spans.flush();
  expect(batches).toHaveLength(2);
});

test('an id of zeros is never drawn', () => {
  const { spans } = bench();
  expect([spans.traceId(), spans.spanId()]).toEqual([`01${'0'.repeat(30)}`, '01'.repeat(8)]);
});

test('a span that ends names its parent, its time, its trace and its state', () => {
  const { state, spans, all } = bench();
  const trace = Trace.under(spans, TRACE, DOOR, 'a=1');
  const inner = trace.begin();
  state.now = 130;
  inner.end('inner', 'timeout', [['n', 1]]);
  spans.flush();
  expect(all()).toEqual([
    {
      traceId: TRACE,
      spanId: inner.spanId,
      parentId: trace.spanId,
      isRemote: false,
      tracestate: 'a=1',
      name: 'inner',
      kind: 1,
      startMs: 100,
      endMs: 130,
      error: 'timeout',
      attributes: [['n', 1]],
      link: null,
    },
  ]);
  expect(inner.traceparent).toBe(`00-${TRACE}-${inner.spanId}-01`);
});

test('a request has so many spans; the one that closes it is kept, and knows how many were left out', () => {
  const { spans, all } = bench();
  const trace = Trace.under(spans, TRACE, DOOR, '');
  for (let i = 0; i < limits.traces.requestSpansMax + 3; i++) trace.begin().end('more');
  expect(trace.leftOut).toBe(3);
  trace.close({ name: 'request', startMs: 1, endMs: 2 });
  spans.flush();
  expect(all()).toHaveLength(limits.traces.requestSpansMax + 1);
  expect(all().at(-1)).toMatchObject({ name: 'request', spanId: trace.spanId, parentId: DOOR });
});

test('names and texts are bounded', () => {
  const { spans, all } = bench();
  const long = 'x'.repeat(limits.traces.textCharsMax + 1);
  Trace.under(spans, TRACE, DOOR, '')
    .begin()
    .end(long, null, [['text', long]]);
  spans.flush();
  expect(all()[0]).toMatchObject({ name: long.slice(1), attributes: [['text', long.slice(1)]] });
});

test('work within a span: its outcome passes, and what went wrong is named', async () => {
  const { spans, all } = bench();
  const trace = Trace.under(spans, TRACE, DOOR, '');
  expect(traced(null, 'none', () => 1)).toBe(1);
  expect(traced(trace, 'now', () => 2)).toBe(2);
  expect(
    await traced(
      trace,
      'later',
      async () => 3,
      (outcome) => `is ${outcome}`,
    ),
  ).toBe(3);
  expect(() => traced(trace, 'thrown', () => JSON.parse('{'))).toThrow(SyntaxError);
  await expect(traced(trace, 'rejected', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  spans.flush();
  expect(all().map(({ name, error }) => [name, error])).toEqual([
    ['now', null],
    ['later', 'is 3'],
    ['thrown', 'fault'],
    ['rejected', 'fault'],
  ]);
});
