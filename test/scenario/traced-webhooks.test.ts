/** A webhook outlives the request that caused it: its span is linked to that request's. Source: docs/contract/platform.md §4.1. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runVerb } from '#runtime/control-verbs.ts';
import { magazineWith, startMagazine } from '#test/kit/magazine.ts';
import { startOtlpReceiver, type OtlpReceiver } from '#test/kit/otlp-receiver.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';

let node: TestNode;
let editor: Headers;
let receiver: Receiver;
let collector: OtlpReceiver;
let dir: string;

beforeAll(async () => {
  [receiver, collector] = await Promise.all([startReceiver(), startOtlpReceiver()]);
  dir = mkdtempSync(join(tmpdir(), 'skep-traced-hooks-'));
  const hook = `webhooks:\n  - { name: all, url: "http://127.0.0.1:${receiver.port}/all?key=a-private-key", secret: "\${SKEP_TEST_WEBHOOK}" }\n`;
  const traces = `{ to: "${collector.url}", sample: 0, trust_parent: [127.0.0.1] }`;
  node = await startMagazine({
    localdir: magazineWith(dir, hook),
    extra: `outbound: { allow_private: ["127.0.0.1:${receiver.port}"] }\ntelemetry: { traces: ${traces} }`,
  });
  editor = await node.service();
});
afterAll(async () => {
  await node.stop();
  await Promise.all([receiver.stop(), collector.stop()]);
  rmSync(dir, { recursive: true, force: true });
});

const create = (headers: Headers) => node.call('POST', '/content/blog/blog.post', headers, { title: 'T' });

test('an attempt has a trace of its own, linked to the request; what is not traced has none', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  await create(editor);
  await create({ ...editor, traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
  const isThere = (name: string) => collector.spans.some((span) => span.name === name);
  const spans = await collector.until(() =>
    ['webhook all', 'data operations', 'content document_create'].every(isThere),
  );
  const attempts = spans.filter(({ name }) => name === 'webhook all');
  expect(attempts).toHaveLength(1);
  const change = spans.find(({ name }) => name === 'data operations')!;
  expect(attempts[0]).toMatchObject({
    kind: 'SPAN_KIND_CLIENT',
    parentSpanId: '',
    links: [{ traceId, spanId: change.spanId }],
    attributes: { 'http.response.status_code': 200, 'skep.customer': 'acme', 'skep.tenant': 'main' },
  });
  expect(attempts[0]!.traceId).not.toBe(traceId);
  expect(receiver.received.every(({ headers }) => !('traceparent' in headers))).toBe(true);
  expect(Buffer.concat(collector.exports.map(({ bytes }) => bytes)).toString('latin1')).not.toMatch(
    /a-private|webhook-secret/,
  );
  const listed = await runVerb(node.node, 'webhook.list', { tenant: TENANT });
  expect(JSON.stringify(listed)).not.toContain(traceId); // the log of deliveries is as before
});
