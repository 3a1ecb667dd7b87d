/** Live answers keep to the document that the tenant's callers are given: status, content type and body. Contract: docs/contract/data.md §8.1. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AnswerCheck } from '#test/kit/answer-check.ts';
import { startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

let node: TestNode;
let headers: Headers;
let check: AnswerCheck;

beforeAll(async () => {
  node = await startTestNode();
  headers = await node.service();
  const document = await node.call('GET', '/data/schema/openapi.json', headers);
  expect(document.status).toBe(200);
  check = new AnswerCheck(document.json);
  await node.call('POST', '/data/rest/item', headers, { name: 'lamp', token: 't-1' });
});
afterAll(() => node.stop());

const NDJSON = 'application/x-ndjson';

test.each([
  ['GET', '/data/rest/item', '/data/rest/item'],
  ['GET', '/data/rest/item?expression=.count', '/data/rest/item'],
  ['GET', '/data/rest/item?expression=%5B.data%5B%5D.name%5D', '/data/rest/item'],
  ['GET', '/data/rest/item?nope=1', '/data/rest/item'],
  ['GET', '/data/rest/item/id/none', '/data/rest/item/id/{id}'],
  [
    'POST',
    '/data/rest?stats=true',
    '/data/rest',
    { operations: [{ action: 'create', data: { item: { name: 'wick', token: 't-3' } } }] },
  ],
  ['PATCH', '/data/bulk?entity=item', '/data/bulk'],
  ['PATCH', '/data/bulk?entity=item&format=csv', '/data/bulk'],
  ['PATCH', '/data/bulk?entity=item&format=jsonl', '/data/bulk'],
  ['PATCH', '/data/bulk?entity=item&format=nope', '/data/bulk'],
  ['GET', '/data/ready', '/data/ready'],
  ['GET', '/data/health', '/data/health'],
  ['GET', '/data/schema', '/data/schema'],
  ['GET', '/data/schema/entities', '/data/schema/entities'],
  ['GET', '/data/schema/graphql', '/data/schema/graphql'],
  ['POST', '/data/graphql', '/data/graphql', { query: '{ __typename }' }],
  ['POST', '/data/rest/item?expression=.data%5B0%5D.name', '/data/rest/item', { name: 'bulb', token: 't-2' }],
  ['POST', '/data/rest/item', '/data/rest/item', { name: 5 }],
] as const)('%s %s', async (method, path, template, body?: unknown) => {
  const answer = await node.call(method, path, headers, body);
  const type = answer.headers.get('content-type') ?? undefined;
  const isText = type?.startsWith('text/') === true || type?.startsWith(NDJSON) === true;
  check.expect(template, method, answer.status, isText ? answer.text : answer.json, {
    type,
    expression: path.includes('expression='),
  });
});

test('rows by their id, plain and with blocks, and what a delete shows', async () => {
  const made = await node.call('POST', '/data/rest/item', headers, { name: 'torch', token: 't-4' });
  check.expect('/data/rest/item', 'POST', made.status, made.json);
  const { data }: { data: { id: string }[] } = made.json;
  const path = `/data/rest/item/id/${data[0]!.id}`;
  for (const [method, more] of [
    ['GET', ''],
    ['GET', '?stats=true&meta=true&allowedactions=true'],
    ['DELETE', ''],
  ] as const) {
    const answer = await node.call(method, path + more, headers);
    expect(answer.status).toBe(200);
    check.expect('/data/rest/item/id/{id}', method, answer.status, answer.json);
  }
});
