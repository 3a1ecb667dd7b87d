/** The exporter against a real collector over HTTP. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Exporter, NotAccepted, type ExporterRules } from '#actors/courier/traces/exporter.ts';
import { postExport } from '#actors/courier/traces/post-export.ts';
import { retryAfterMs } from '#actors/kit/retry-after.ts';
import { EpochOffset } from '#actors/courier/traces/epoch-offset.ts';
import { Outbound } from '#actors/kit/outbound/outbound.ts';
import { SERVER_SPAN, type Span } from '#actors/kit/trace/span.ts';
import type { TraceReport } from '#actors/protocol/traces.ts';
import { rejecting, startOtlpReceiver, type OtlpReceiver } from '#test/kit/otlp-receiver.ts';

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const RULES: ExporterRules = {
  queueSpansMax: 10,
  exportSpansMax: 4,
  exportEveryMs: 0,
  attemptsMax: 3,
  backoffMs: 1,
  backoffMsMax: 2,
  retryAfterMsMax: 5,
};

const span = (no: number): Span => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: String(no).padStart(16, '0').replace(/^0/, '1'),
  parentId: no === 0 ? '' : 'b7ad6b7169203331',
  isRemote: no === 1,
  tracestate: no === 1 ? 'a=1' : '',
  name: `span ${no}`,
  kind: SERVER_SPAN,
  startMs: 1000.25,
  endMs: 1002.5,
  error: no === 2 ? 'timeout' : null,
  attributes: [
    ['text', 'é'],
    ['whole', 200],
    ['part', 0.5],
  ],
  link: no === 0 ? ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'] : null,
});
const spans = (count: number): Span[] => Array.from({ length: count }, (_, no) => span(no));

let collector: OtlpReceiver;
let lines: { readonly facts: Record<string, unknown>; readonly message: string }[];
let total: { exported: number; failures: number; dropped: Record<string, number> };
let changed: () => void;

beforeEach(async () => {
  collector = await startOtlpReceiver();
  lines = [];
  total = { exported: 0, failures: 0, dropped: {} };
  changed = () => undefined;
});
afterEach(() => collector.stop());

function report({ exported, failures, dropped }: TraceReport): void {
  total.exported += exported;
  total.failures += failures;
  for (const [cause, count] of Object.entries(dropped))
    if (count > 0) total.dropped[cause] = (total.dropped[cause] ?? 0) + count;
  changed();
}

function exporter(rules: Partial<ExporterRules> = {}, url = new URL(collector.url)): Exporter {
  const outbound = new Outbound({ allowPrivate: [url.host] });
  const warn = (facts: object, message: string) =>
    void lines.push({ facts: facts as Record<string, unknown>, message });
  return new Exporter({
    rules: { ...RULES, ...rules },
    to: url.href,
    log: { info: warn, warn, error: warn },
    send: (batch) =>
      postExport(
        (headers, body) =>
          outbound.fetch(url, { method: 'POST', headers, body }).catch((error: Error) => {
            throw new NotAccepted(null, null, error.message);
          }),
        batch,
        { resource: [['service.name', 'shop']], version: '1' },
        1_700_000_000_000,
        0,
      ),
    report,
    after: (ms, run) => void setTimeout(run, ms),
    random: () => 0,
    monotonic: () => 0,
  });
}

/** Resolves when the counts are these. */
const until = (wanted: Partial<typeof total>): Promise<void> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the counts stay ${JSON.stringify(total)}`)), 10_000);
    changed = () => {
      if (
        !Object.entries(wanted).every(
          ([key, value]) => JSON.stringify(total[key as 'dropped']) === JSON.stringify(value),
        )
      )
        return;
      clearTimeout(late);
      resolve();
    };
    changed();
  });

test('spans arrive as the official definitions read them', async () => {
  exporter().offer(spans(3));
  await until({ exported: 3 });
  const [root, remote, failed] = collector.spans;
  expect(root).toEqual({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: span(0).spanId,
    parentSpanId: '',
    traceState: '',
    name: 'span 0',
    kind: 'SPAN_KIND_SERVER',
    start: expect.any(BigInt),
    end: expect.any(BigInt),
    flags: 0x101,
    status: 'STATUS_CODE_UNSET',
    attributes: { text: 'é', whole: 200, part: 0.5 },
    links: [{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }],
    resource: { 'service.name': 'shop' },
  });
  const microseconds = (nanoseconds: bigint) => Math.round(Number(nanoseconds % 1_000_000_000_000n) / 1000);
  expect([root!.start / 1_000_000_000n, microseconds(root!.start), microseconds(root!.end)]).toEqual([
    1_700_000_001n,
    1_000_250,
    1_002_500,
  ]);
  expect(remote).toMatchObject({ parentSpanId: 'b7ad6b7169203331', traceState: 'a=1', flags: 0x301 });
  expect(failed).toMatchObject({ status: 'STATUS_CODE_ERROR', attributes: { 'error.type': 'timeout' } });
});

test('a batch has a bound, and the next one follows', async () => {
  exporter().offer(spans(9));
  await until({ exported: 9 });
  expect(collector.exports.map((one) => one.spans.length)).toEqual([4, 4, 1]);
});

test('what finds the queue full is dropped and counted, the newest first', async () => {
  const full = exporter({ exportEveryMs: 1_000_000, exportSpansMax: 1000 });
  full.offer(spans(8));
  full.offer(spans(5));
  expect([full.depth, total.dropped]).toEqual([10, { full: 3 }]);
  await full.stop();
  expect(total).toEqual({ exported: 10, failures: 0, dropped: { full: 3 } });
});

test.each([429, 502, 503, 504])('%i: sent again', async (status) => {
  collector.answer = (response) => {
    response.writeHead(collector.exports.length < 3 ? status : 200, PROTOBUF).end();
  };
  exporter().offer(spans(2));
  await until({ exported: 2 });
  expect(total).toEqual({ exported: 2, failures: 2, dropped: {} });
  expect(collector.exports.map((one) => one.spans.length)).toEqual([2, 2, 2]);
});

test.each([400, 401, 404, 500, 302])(
  '%i is final: the batch is dropped at once, the next one is sent',
  async (status) => {
    collector.answer = (response) => {
      response.writeHead(collector.exports.length === 1 ? status : 200, { location: '/elsewhere' }).end();
    };
    exporter().offer(spans(6));
    await until({ exported: 2 });
    expect(total).toEqual({ exported: 2, failures: 1, dropped: { refused: 4 } });
  },
);

test('after the last attempt the batch is dropped', async () => {
  collector.answer = (response) => void response.writeHead(503).end();
  exporter().offer(spans(2));
  await until({ dropped: { undelivered: 2 } });
  expect(total).toEqual({ exported: 0, failures: 3, dropped: { undelivered: 2 } });
});

test('a collector that is not there: attempts, drops, and one line a minute', async () => {
  await collector.stop();
  const alone = exporter();
  alone.offer(spans(9));
  await until({ dropped: { undelivered: 9 } });
  expect(total.failures).toBe(9);
  expect(lines).toHaveLength(1);
  expect(lines[0]!.message).toMatch(/did not take spans.*telemetry\.traces\.to/);
  expect(lines[0]!.facts).toMatchObject({ to: collector.url });
});

test('Retry-After decides how long the next attempt waits, within a bound', async () => {
  const waits: number[] = [];
  collector.answer = (response) => {
    waits.push(performance.now());
    response.writeHead(waits.length === 1 ? 503 : 200, { ...PROTOBUF, 'retry-after': '3600' }).end();
  };
  // Without the header the wait would be longer than the test.
  exporter({ backoffMs: 1_000_000, backoffMsMax: 1_000_000, retryAfterMsMax: 20 }).offer(spans(1));
  await until({ exported: 1 });
  expect(waits[1]! - waits[0]!).toBeGreaterThanOrEqual(19);
});

test.each([
  ['7', 7000],
  ['Thu, 01 Jan 1970 00:00:09 GMT', 9000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', null],
  ['-1', null],
  [null, null],
])('Retry-After %s: %s ms', (value, ms) => {
  expect(retryAfterMs(value, 0)).toBe(ms);
});

test('a partial success counts what was rejected, and its words are logged in bounds', async () => {
  collector.answer = (response) =>
    void response.writeHead(200, PROTOBUF).end(rejecting(2, `too old\n${'x'.repeat(1000)}`));
  exporter().offer(spans(3));
  await until({ exported: 1 });
  expect(total).toEqual({ exported: 1, failures: 0, dropped: { rejected: 2 } });
  expect(lines[0]!.facts['answer'] as string).toMatch(/^too old x+$/);
  expect((lines[0]!.facts['answer'] as string).length).toBe(200);
});

test('an answer that is no protobuf message is a success all the same', async () => {
  collector.answer = (response) => void response.writeHead(200, PROTOBUF).end('\xff\xff');
  exporter().offer(spans(1));
  await until({ exported: 1 });
});

test('a stop ends the waits, and sends what is left once', async () => {
  collector.answer = (response) => void response.writeHead(collector.exports.length === 1 ? 503 : 200, PROTOBUF).end();
  const stopped = exporter({ backoffMs: 1_000_000, backoffMsMax: 1_000_000, exportSpansMax: 1 });
  stopped.offer(spans(2));
  await until({ failures: 1 });
  await stopped.stop();
  expect(total).toEqual({ exported: 1, failures: 1, dropped: { undelivered: 1 } });
});

test('an offset keeps to its first value while the clocks agree, and follows a clock that was set', () => {
  const offset = new EpochOffset();
  expect(offset.at(5000, 1000)).toBe(4000);
  expect(offset.at(6004, 2000)).toBe(4000);
  expect(offset.at(16_000, 3000)).toBe(13_000);
  expect(offset.at(7000, 4000)).toBe(3000);
});
