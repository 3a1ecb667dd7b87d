import { expect, test } from 'vitest';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { Span } from '#actors/kit/trace/span.ts';
import { Spans } from '#actors/kit/trace/spans.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { DoorTraces } from '#runtime/door/door-traces.ts';
import type { Answered } from '#runtime/door/gate-ports.ts';
import type { Visit } from '#runtime/door/port.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SAMPLED = `00-${TRACE}-${PARENT}-01`;
const NOT_SAMPLED = `00-${TRACE}-${PARENT}-00`;

function bench(sample: number, trust_parent: string[] = [], chance = 0.5) {
  const gone: Span[] = [];
  const asked: string[] = [];
  const spans = new Spans({
    now: () => 20,
    random: (bytes) => Buffer.alloc(bytes, 7),
    handOver: (text) => gone.push(...(JSON.parse(text) as Span[])),
    after: () => undefined,
  });
  const traces = new DoorTraces({ rules: { sample, trust_parent }, spans, random: () => chance });
  const visit = (headers: Record<string, string> = {}, ip = '192.0.2.1', more: object = {}): Visit =>
    ({
      method: 'GET',
      path: '/auth/reset/a-secret',
      query: 'token=a-secret',
      began: 0,
      header: (name: string) => {
        asked.push(name);
        return (headers[name] ?? '').split(', ')[0];
      },
      headers: (name: string) => {
        asked.push(name);
        return headers[name] ?? '';
      },
      ip: () => ip,
      ...more,
    }) as unknown as Visit;
  return { traces, visit, gone, asked, spans };
}

test.each([
  [0, 0, false],
  [0.5, 0.49, true],
  [0.5, 0.5, false],
  [1, 0.999, true],
])('a share of %d and the chance %d: traced %s', (sample, chance, traced) => {
  const { traces, visit } = bench(sample, [], chance);
  expect(traces.begin(visit()) !== null).toBe(traced);
});

test('a caller whose peer is not trusted can neither cause a trace nor give one its id', () => {
  const { traces, visit } = bench(0);
  expect(traces.begin(visit({ traceparent: SAMPLED }))).toBeNull();
  const all = bench(1);
  expect(all.traces.begin(all.visit({ traceparent: SAMPLED, tracestate: 'a=1' }))).toEqual({
    traceId: '07'.repeat(16),
    spanId: '07'.repeat(8),
    parentId: '',
    tracestate: '',
    link: [TRACE, PARENT],
  });
  expect(all.traces.begin(all.visit({ traceparent: 'no' }))).toMatchObject({ link: null });
});

test('where no peer is trusted, no header of a request that is not traced is read', () => {
  const { traces, visit, asked } = bench(0);
  traces.begin(visit({ traceparent: SAMPLED }));
  expect(asked).toEqual([]);
});

test.each(['10.1.2.3', '2001:db8::7', '192.0.2.9'])('a trusted peer decides: %s', (ip) => {
  const trusted = ['10.0.0.0/8', '2001:db8::/32', '192.0.2.9'];
  const never = bench(0, trusted);
  expect(never.traces.begin(never.visit({ traceparent: SAMPLED, tracestate: 'a=1 , b=2' }, ip))).toEqual({
    traceId: TRACE,
    spanId: '07'.repeat(8),
    parentId: PARENT,
    tracestate: 'a=1,b=2',
    link: null,
  });
  const always = bench(1, trusted);
  expect(always.traces.begin(always.visit({ traceparent: NOT_SAMPLED }, ip))).toBeNull();
  for (const traceparent of ['no', '', `${SAMPLED}, ${SAMPLED}`])
    expect(always.traces.begin(always.visit({ traceparent }, ip))).toMatchObject({ parentId: '' });
});

test.each(['11.0.0.1', '2001:db9::1', '', 'unknown'])('any other peer does not: %j', (ip) => {
  const { traces, visit } = bench(0, ['10.0.0.0/8', '2001:db8::/32']);
  expect(traces.begin(visit({ traceparent: SAMPLED }, ip))).toBeNull();
});

const request = (visit: Visit): Answered => ({
  visit,
  requestId: 'r-1',
  route: { service: 'identity', row: { path: '/auth/reset/{token}' } } as unknown as CompiledRoute,
  tenant: { no: 2, position: parsePosition('acme:shop:dev:main')!, shard: 0, state: 'active', localdir: null },
  trace: null,
});

test('the span names the declared route, the tenant and the status, and nothing that the caller sent', () => {
  const { traces, visit, gone, spans } = bench(1);
  const at = visit({ traceparent: 'no' }, '192.0.2.1', { method: 'PROPFIND' });
  const trace = traces.begin(at)!;
  traces.end(trace, request(at), 503, true);
  traces.end(trace, { ...request(visit()), route: null, tenant: undefined }, 404, true);
  spans.flush();
  expect(gone[0]).toMatchObject({
    name: '_OTHER /auth/reset/{token}',
    kind: 2,
    error: '503',
    attributes: [
      ['http.request.method', '_OTHER'],
      ['http.route', '/auth/reset/{token}'],
      ['http.response.status_code', 503],
      ['skep.service', 'identity'],
      ['skep.by', 'door'],
      ['skep.customer', 'acme'],
      ['skep.product', 'shop'],
      ['skep.env', 'dev'],
      ['skep.tenant', 'main'],
    ],
  });
  expect(gone[1]).toMatchObject({
    error: null,
    attributes: expect.arrayContaining([['http.response.status_code', 404]]),
  });
  expect(JSON.stringify(gone)).not.toMatch(/secret|PROPFIND|r-1|192\.0/);
});
