/** What a data service does for a traced request: statements, scripts, expressions. Source: docs/contract/platform.md §4.1. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '#test/kit/otlp-receiver.ts';
import { startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

let collector: OtlpReceiver;
let node: TestNode;
let bearer: Headers;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  node = await startTestNode({
    localdir: fileURLToPath(new URL('../kit/products/acts', import.meta.url)),
    extra: `jobs: { threads: 2 }\ntelemetry: { traces: { to: "${collector.url}", sample: 0, trust_parent: [127.0.0.1] } }`,
  });
  bearer = await node.service();
});
afterAll(async () => {
  await node.stop();
  await collector.stop();
});

let traces = 0;

/** The spans of one call, once its door's is there; all of them leave before it. */
async function spansOf(method: string, path: string, body?: unknown): Promise<readonly ReceivedSpan[]> {
  const traceId = String(++traces).padStart(32, '0');
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const answer = await node.call(method, `/data/${path}`, { ...bearer, traceparent }, body);
  expect(answer.status, answer.text).toBe(200);
  const mine = (spans: readonly ReceivedSpan[]) => spans.filter((span) => span.traceId === traceId);
  const kinds = (spans: readonly ReceivedSpan[]) => mine(spans).map(({ name }) => name);
  return mine(
    await collector.until(
      (spans) =>
        ['handler', 'mailbox'].every((name) => kinds(spans).includes(name)) &&
        mine(spans).some(({ kind }) => kind === 'SPAN_KIND_SERVER'),
    ),
  );
}

/** Names of the spans below the handler. */
function below(spans: readonly ReceivedSpan[]): string[] {
  const handler = spans.find(({ name }) => name === 'handler')!;
  return spans.filter(({ parentSpanId }) => parentSpanId === handler.spanId).map(({ name }) => name);
}

test('the statement of an action, by its name, without its text and its values', async () => {
  const spans = await spansOf('GET', 'actions/books?title=a-private-title');
  expect(below(spans)).toEqual(['sql books read']);
  expect(spans.find(({ name }) => name === 'handler')!.attributes).toMatchObject({ 'skep.action': 'books' });
  expect(Buffer.concat(collector.exports.map(({ bytes }) => bytes)).toString('latin1')).not.toMatch(/a-private|select/);
});

test('an expression', async () => {
  expect(below(await spansOf('GET', 'rest/book?expression=.data'))).toEqual(['jq']);
});

test('the script of an endpoint', async () => {
  expect(below(await spansOf('GET', 'x/look'))).toEqual(['script']);
});
