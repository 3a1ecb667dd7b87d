import { expect, test } from 'vitest';
import { TurnTrace, traceLine } from '#actors/host/turn-trace.ts';
import { callOf, type CompiledRoute } from '#actors/host/call.ts';
import type { Span } from '#actors/kit/trace/span.ts';
import { Spans } from '#actors/kit/trace/spans.ts';
import { refuserOf } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const DOOR = '00f067aa0ba902b7';
const route = { service: 'data', name: 'list' } as CompiledRoute;
const reply = { kind: 'reply', status: 200 } as Reply;
const refuse = refuserOf({
  overloaded: { statuses: [503], family: 'coded', cause: 'full' },
  absent: { statuses: [404], family: 'coded', cause: 'absent' },
} as const);

function bench() {
  const state = { now: 0 };
  const gone: Span[] = [];
  let drawn = 1;
  const spans = new Spans({
    now: () => state.now,
    random: (bytes) => Buffer.alloc(bytes, drawn++),
    handOver: (text) => gone.push(...(JSON.parse(text) as Span[])),
    after: () => undefined,
  });
  return { state, spans, gone };
}

test('only a line that stands first makes a trace, with or without a state', () => {
  const { spans } = bench();
  expect(TurnTrace.of(spans, '')).toBeNull();
  expect(TurnTrace.of(spans, `x-y:${traceLine(TRACE, DOOR, '')}`)).toBeNull();
  const trace = TurnTrace.of(spans, `${traceLine(TRACE, DOOR, 'a=1,b=2')}if-match:"1"\n`)!;
  expect([trace.traceId, trace.begin().tracestate]).toEqual([TRACE, 'a=1,b=2']);
  expect(TurnTrace.of(spans, traceLine(TRACE, DOOR, ''))!.begin().tracestate).toBe('');
});

test('wait, handler and journal are below the call, which is below the door', () => {
  const { state, spans, gone } = bench();
  const trace = TurnTrace.of(spans, traceLine(TRACE, DOOR, ''))!;
  state.now = 5;
  const handler = trace.begin();
  expect(trace.begin()).toBe(handler);
  state.now = 7;
  trace.handled();
  state.now = 8;
  trace.handled();
  state.now = 9;
  trace.end(route, reply, true);
  spans.flush();
  const call = gone.at(-1)!;
  expect(gone.map(({ name, startMs, endMs, parentId }) => [name, startMs, endMs, parentId])).toEqual([
    ['mailbox', 0, 5, call.spanId],
    ['handler', 5, 7, call.spanId],
    ['journal', 7, 9, call.spanId],
    ['data list', 0, 9, DOOR],
  ]);
  expect(call.attributes).toEqual([
    ['skep.service', 'data'],
    ['skep.route', 'list'],
  ]);
});

test('a call that never had a turn has its own span alone, and a failure names its refusal', () => {
  const { spans, gone } = bench();
  const trace = TurnTrace.of(spans, traceLine(TRACE, DOOR, ''))!;
  trace.handled();
  trace.end(route, refuse('overloaded'), false);
  const other = TurnTrace.of(spans, traceLine(TRACE, DOOR, ''))!;
  other.end(route, refuse('absent'), false);
  spans.flush();
  expect(gone.map(({ name, error }) => [name, error])).toEqual([
    ['data list', 'overloaded'],
    ['data list', null],
  ]);
  expect(gone[1]!.attributes).toContainEqual(['skep.refusal', 'absent']);
});

test('a log line names a traced call by its trace, too, whether or not it had its turn', () => {
  const { spans } = bench();
  const record = (extra: string) => [0, 0, 1, 0, '', '', '', 'r-1', extra, ''];
  const call = callOf(record(''), 0, route, '');
  expect(call.named).toEqual({ request_id: 'r-1' });
  call.turnTrace = TurnTrace.of(spans, traceLine(TRACE, DOOR, ''))!;
  expect(call.named).toEqual({ request_id: 'r-1', trace_id: TRACE });
  call.trace = call.turnTrace.begin();
  expect(call.named).toEqual({ request_id: 'r-1', trace_id: TRACE });
});
