/** Traces of a real node: what leaves for the collector, and what does not. Source: docs/contract/platform.md §4.1. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startBff, type BffNode } from '#test/kit/bff-node.ts';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '#test/kit/otlp-receiver.ts';
import { hasPrometheus, startPrometheus } from '#test/kit/prometheus.ts';
import type { Headers } from '#test/kit/test-node.ts';

const FILES = {
  both: `
name: both
path: /both
auth: service
calls:
  items: { service: data, path: /data/rest/item, query: { name: "{{query.name}}" } }
  weather: { url: UPSTREAM/weather, query: { place: "{{query.name}}" }, headers: { x-api-key: "\${SKEP_TEST_UPSTREAM_KEY}" } }
`,
};
const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';

let collector: OtlpReceiver;
let node: BffNode;
let service: Headers;

/** Nodes that send to the collector. */
function useTracedNode(traces: string): void {
  beforeAll(async () => {
    collector = await startOtlpReceiver();
    const extra = `telemetry:\n  traces: { to: "${collector.url}", headers: { authorization: Bearer collector-secret }, ${traces} }`;
    node = await startBff(FILES, { extra });
    service = await node.service();
  });
  afterAll(async () => {
    await node.stop();
    await collector.stop();
  });
  beforeEach(() => {
    node.upstream.received.length = 0;
    node.upstream.answer = (_, response) => void response.end('{"text":"sun"}');
  });
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found;
};

/** The spans of one trace, once those of these names are there. */
async function traceOf(traceId: string, ...names: readonly string[]): Promise<readonly ReceivedSpan[]> {
  const mine = (spans: readonly ReceivedSpan[]) => spans.filter((span) => span.traceId === traceId);
  const has = (spans: readonly ReceivedSpan[]) => names.every((name) => spans.some((span) => span.name === name));
  return mine(await collector.until((spans) => has(mine(spans))));
}

async function metric(series: string): Promise<number> {
  const { text } = await node.call('GET', '/metrics', {}, undefined, node.node.listeners['operations']);
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}

describe('every request is traced', () => {
  useTracedNode('sample: 1, service_name: shop');

  test('a request through the BFF to the data service and an upstream is one trace', async () => {
    const answer = await node.call('GET', '/bff/both?name=a-private-name', { ...service, tracestate: 'a=1' });
    expect(answer.status).toBe(200);
    const [asked] = node.upstream.received;
    const [, traceId, parentId, flags] = /^00-(.{32})-(.{16})-(..)$/.exec(asked!.headers['traceparent'] as string)!;
    expect(flags).toBe('01');
    expect(asked!.headers).not.toHaveProperty('tracestate'); // no trace of the caller's is continued
    const spans = await traceOf(
      traceId!,
      'GET /bff/{path*}',
      'bff endpoint',
      'data list',
      'GET weather',
      'handler',
      'mailbox',
    );
    const door = named(spans, 'GET /bff/{path*}');
    expect(door).toMatchObject({
      kind: 'SPAN_KIND_SERVER',
      parentSpanId: '',
      flags: 0x101,
      status: 'STATUS_CODE_UNSET',
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'skep.service': 'bff',
        'skep.customer': 'acme',
        'skep.product': 'shop',
        'skep.env': 'dev',
        'skep.tenant': 'main',
      },
      resource: { 'service.name': 'shop' },
    });
    const [turn, handler] = [named(spans, 'bff endpoint'), named(spans, 'handler')];
    const outside = named(spans, 'GET weather');
    expect(turn.parentSpanId).toBe(door.spanId);
    expect(named(spans, 'mailbox').parentSpanId).toBe(turn.spanId);
    expect(handler.parentSpanId).toBe(turn.spanId);
    expect(named(spans, 'data list').parentSpanId).toBe(handler.spanId);
    expect([outside.parentSpanId, outside.spanId, outside.kind]).toEqual([
      handler.spanId,
      parentId,
      'SPAN_KIND_CLIENT',
    ]);
    for (const span of spans) {
      expect(span.end).toBeGreaterThanOrEqual(span.start);
      expect(span.start).toBeGreaterThanOrEqual(door.start);
    }
    for (const inside of [turn, handler, outside]) expect(inside.end).toBeLessThanOrEqual(door.end);
    expect(Math.abs(Number(door.end / 1_000_000n) - Date.now())).toBeLessThan(60_000);
  });

  test('nothing secret and nothing of a path or query is in what leaves', async () => {
    const key = await node.call('POST', '/auth/token', {
      ...node.position(),
      Authorization: `ApiKey ${node.serviceKey}`,
    });
    await node.call('GET', '/data/rest/item/id/a-private-id?include=a-private-query', service);
    await node.call('GET', '/bff/both?name=a-private-name', { ...service, 'X-Request-Id': 'a-private-request' });
    await collector.until((spans) => spans.some(({ name }) => name === 'GET weather'));
    await collector.until((spans) => spans.some(({ name }) => name === 'GET /data/rest/{entity}/id/{id}'));
    await collector.until((spans) => spans.some(({ name }) => name === 'POST /auth/token'));
    const bytes = Buffer.concat(collector.exports.map((one) => one.bytes)).toString('latin1');
    const { token } = key.json as { token: string };
    const secrets = [
      token,
      node.serviceKey,
      service['Authorization']!.slice('Bearer '.length),
      'upstream-key',
      'collector-secret',
    ];
    for (const secret of [...secrets, 'a-private', 'bootstrap-secret']) expect(bytes).not.toContain(secret);
    expect(collector.exports[0]!.headers).toMatchObject({
      authorization: 'Bearer collector-secret',
      'content-type': 'application/x-protobuf',
    });
  });

  test('a write has a span of its wait for the journal', async () => {
    const traceparent = `${PARENT}-01`;
    await node.call('POST', '/data/rest/item', { ...service, traceparent }, { name: 'traced' });
    const spans = await collector.until((all) => all.some(({ name }) => name === 'POST /data/rest/{entity}'));
    const door = named(spans, 'POST /data/rest/{entity}');
    // A caller whose peer is not trusted: its trace is linked, not continued.
    expect(door.traceId).not.toBe(PARENT.slice(3, 35));
    expect(door.links).toEqual([{ traceId: PARENT.slice(3, 35), spanId: PARENT.slice(36) }]);
    const mine = await traceOf(door.traceId, 'data create', 'journal');
    expect(named(mine, 'journal').parentSpanId).toBe(named(mine, 'data create').spanId);
  });

  test('/metrics as OpenMetrics has exemplars, and Prometheus text has none', async () => {
    await node.call('GET', '/data/rest/item', service);
    const operations = node.node.listeners['operations']!;
    const ask = async (accept: string) => (await fetch(`${operations}/metrics`, { headers: { accept } })).text();
    const exemplar =
      /^skep_request_seconds_bucket\{service="data",class="read",le="[^"]+"\} \d+ # \{trace_id="([0-9a-f]{32})"\} /m;
    const [, traceId] = exemplar.exec(await ask('application/openmetrics-text;version=1.0.0,text/plain;q=0.5'))!;
    // The first bucket that has one may be of any read so far, by a list or by a key.
    await collector.until((spans) =>
      spans.some((span) => span.traceId === traceId && /^data (list|read)$/.test(span.name)),
    );
    expect(await ask('text/plain')).not.toContain('trace_id');
    expect(await ask('text/plain')).toContain('# TYPE skep_requests_total counter\n');
  });

  test.skipIf(!hasPrometheus)('Prometheus takes them', { timeout: 60_000 }, async () => {
    const prometheus = await startPrometheus(node.node.listeners['operations']!);
    onTestFinished(() => prometheus.stop());
    const bucket = 'skep_request_seconds_bucket{service="data",class="read"}';
    const polled = { timeout: 50_000, interval: 500 };
    const exemplars = async () => {
      await node.call('GET', '/data/rest/item', service);
      return (await prometheus.traces(bucket).catch(() => [])).length;
    };
    await expect.poll(exemplars, polled).toBeGreaterThan(0);
    expect(await prometheus.series('skep_requests_total{service="data",status="2xx"}')).toBe(1);
    expect(await prometheus.series('skep_request_seconds_count{service="data"}')).toBe(2);
    expect(await prometheus.series('process_cpu_seconds_total')).toBe(1);
    expect(await prometheus.series('up == 1')).toBe(1);
  });

  test('the metrics count what was exported', async () => {
    await collector.until((spans) => spans.length > 0);
    expect(await metric('skep_trace_spans_exported_total')).toBeGreaterThan(0);
    expect(await metric('skep_trace_export_failures_total')).toBe(0);
  });
});

describe('no request is sampled, but a trusted peer decides for its own', () => {
  useTracedNode('sample: 0, trust_parent: [127.0.0.0/8]');

  test('a sampled trace is continued up to the upstream; any other request exports nothing', async () => {
    await node.call('GET', '/bff/both?name=x', service);
    await node.call('GET', '/bff/both?name=x', { ...service, traceparent: `${PARENT}-00`, tracestate: 'a=1' });
    await node.call('GET', '/bff/both?name=x', { ...service, traceparent: '00-no' });
    const sampled = { ...service, traceparent: `${PARENT}-01`, tracestate: 'a=1 ,b=2' };
    await node.call('GET', '/bff/both?name=x', sampled);
    const spans = await traceOf(PARENT.slice(3, 35), 'GET /bff/{path*}', 'bff endpoint', 'GET weather');
    expect(new Set(spans.map(({ traceId, traceState }) => `${traceId} ${traceState}`))).toEqual(
      new Set([`${PARENT.slice(3, 35)} a=1,b=2`]),
    );
    expect(named(spans, 'GET /bff/{path*}')).toMatchObject({ parentSpanId: PARENT.slice(36), flags: 0x301 });
    const asked = node.upstream.received.map(({ headers }) => [headers['traceparent'], headers['tracestate']]);
    const outside = named(spans, 'GET weather').spanId;
    expect(asked).toEqual([
      [undefined, undefined],
      [`${PARENT}-00`, 'a=1'],
      [undefined, undefined],
      [`00-${PARENT.slice(3, 35)}-${outside}-01`, 'a=1,b=2'],
    ]);
    expect(collector.spans.every(({ traceId }) => traceId === PARENT.slice(3, 35))).toBe(true);
  });
});

describe('no peer is trusted', () => {
  useTracedNode('sample: 0');

  test('no caller can cause a trace', async () => {
    for (let i = 0; i < 20; i++) await node.call('GET', '/data/rest/item', { ...service, traceparent: `${PARENT}-01` });
    expect(await metric('skep_trace_spans_exported_total')).toBe(0);
    await node.node.stop(); // what waits would leave now
    expect(collector.exports).toEqual([]);
    node = await startBff(FILES);
  });
});

describe('the collector is away', () => {
  useTracedNode('sample: 1');

  test('requests are served, failures and drops are counted; what a stop has left leaves with it', async () => {
    collector.answer = (response) => void response.writeHead(401).end();
    expect((await node.call('GET', '/data/rest/item', service)).status).toBe(200);
    await expect
      .poll(() => metric('skep_trace_spans_dropped_total{cause="refused"}'), { timeout: 10_000 })
      .toBeGreaterThan(0);
    const { port } = collector;
    await collector.stop();
    expect((await node.call('GET', '/data/rest/item', service)).status).toBe(200);
    const failures = await metric('skep_trace_export_failures_total');
    await expect.poll(() => metric('skep_trace_export_failures_total'), { timeout: 10_000 }).toBeGreaterThan(failures);
    collector = await startOtlpReceiver(port);
    expect((await node.call('GET', '/data/rest/item', service)).status).toBe(200);
    await node.node.stop();
    expect(collector.spans.map(({ name }) => name)).toContain('data list');
    node = await startBff(FILES);
  });
});
