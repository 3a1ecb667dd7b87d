/** Actions, endpoints, GraphQL and rows by a unique key, as the client sends them. */
import { expect, test } from 'vitest';
import { createClient, isSkepError } from '#client/index.ts';
import { fakeNode, HERE, type Told } from './fake-node.ts';

const client = (...told: readonly Told[]) => {
  const node = fakeNode((_, all) => told[all.length - 1]!);
  return { node, skep: createClient({ ...HERE, token: 't', fetch: node.fetch }) };
};

test('parameters of an action go where its section has them', async () => {
  const rows: Told = [200, { data: [{ a: 1 }], count: 1, total: 1 }];
  const { node, skep } = client(rows, [200, { total: 3 }], rows, [200, { total: 0 }]);
  expect(await skep.action('report', 'read', { since: 'x', tags: ['a', 'b'], none: null, left: undefined })).toEqual({
    rows: [{ a: 1 }],
    total: 1,
  });
  expect(await skep.action('report', 'delete', { id: 7 })).toEqual({ rows: [], total: 3 });
  await skep.action('a/b', 'create', { text: 'x' });
  await skep.action('report', 'update', { on: true }, { key: 'mine' });
  const sent = node.sent.map(({ method, path, query, body }) => [method, path, query.toString(), body]);
  expect(sent).toEqual([
    ['GET', '/data/actions/report', 'since=x&tags=a&tags=b', undefined],
    ['DELETE', '/data/actions/report', 'id=7', undefined],
    ['POST', '/data/actions/a%2Fb', '', { text: 'x' }],
    ['PATCH', '/data/actions/report', '', { on: true }],
  ]);
  const keys = node.sent.map(({ headers }) => headers.get('idempotency-key'));
  expect([keys[0], keys[1]?.length, keys[2]?.length, keys[3]]).toEqual([null, 32, 32, 'mine']);
});

test('an endpoint gives what its script returns', async () => {
  const { node, skep } = client([200, { a: 1 }], [200, '"text"'], [200, undefined]);
  expect(await skep.endpoint('GET', 'tools/e cho', { query: { q: 'ä b' } })).toEqual({ a: 1 });
  expect(await skep.endpoint('POST', 'stamps', { body: { patient: 1 } })).toBe('text');
  expect(await skep.endpoint('DELETE', 'stamps')).toBe(null);
  expect(node.sent.map(({ method, path, query, body }) => [method, path, query.get('q'), body])).toEqual([
    ['GET', '/data/x/tools/e%20cho', 'ä b', undefined],
    ['POST', '/data/x/stamps', null, { patient: 1 }],
    ['DELETE', '/data/x/stamps', null, undefined],
  ]);
});

test('a GraphQL document has a key where it may write, and its errors are thrown', async () => {
  const { node, skep } = client(
    [200, { data: { a: 1 } }],
    [200, { data: { made: 1 } }],
    [200, { data: null, errors: [{ message: 'one' }, { message: 'two' }] }],
  );
  expect(await skep.graphql('{ a }')).toEqual({ a: 1 });
  expect(await skep.graphql('mutation ($n: Int) { made(n: $n) }', { n: 1 })).toEqual({ made: 1 });
  const thrown: unknown = await skep.graphql('{ b }').catch((error: unknown) => error);
  if (!isSkepError(thrown, 'client.graphql')) throw thrown;
  expect([thrown.message, thrown.details.errors.length]).toEqual(['one; two', 2]);
  expect(node.sent.map(({ headers }) => headers.has('idempotency-key'))).toEqual([false, true, false]);
  expect(node.sent[1]!.body).toEqual({ query: 'mutation ($n: Int) { made(n: $n) }', variables: { n: 1 } });
});

test('rows by a unique key name it', async () => {
  const { node, skep } = client([200, { data: [{ id: '1' }, { id: '2' }] }]);
  expect(await skep.from('member').upsert([{ email: 'a' }, { email: 'b' }], ['email', 'team'])).toHaveLength(2);
  expect([node.sent[0]!.query.get('[on]'), node.sent[0]!.body]).toEqual([
    'email,team',
    [{ email: 'a' }, { email: 'b' }],
  ]);
  expect(node.sent[0]!.headers.get('idempotency-key')).toMatch(/^[0-9a-f]{32}$/);
});
