/** What the client makes of a query: parameters of docs/contract/data.md §5. */
import { expect, test } from 'vitest';
import { createClient } from '#client/index.ts';
import { parametersOf, setConditions, wireOf } from '#client/query.ts';
import { fakeNode, HERE } from './fake-node.ts';

const textOf = (query: Parameters<typeof parametersOf>[0]) => decodeURIComponent(parametersOf(query).toString());

test('parameters of lists', () => {
  expect(textOf({})).toBe('');
  expect(textOf({ fields: ['id', 'subject'], limit: 5, deleted: true })).toBe('select=id,subject&deleted=true&limit=5');
  expect(textOf({ orderBy: ['-organisation.name', 'id'] })).toBe('orderby=-[organisation.name],id');
  expect(textOf({ orderBy: '-id', deleted: false })).toBe('orderby=-id');
  expect(textOf({ include: ['a', 'a.b'] })).toBe('include=a,a.b&depth=2');
  expect(textOf({ include: [] })).toBe('');
  const included = { comment_by_ticket: { where: { text: 'red' }, orderBy: '-id', limit: 3 } };
  expect(textOf({ include: ['comment_by_ticket'], included })).toBe(
    'include=comment_by_ticket&[comment_by_ticket][filter]={"text":"red"}&[comment_by_ticket][orderby]=-id&[comment_by_ticket][limit]=3',
  );
});

test('conditions are one group', () => {
  const query = new URLSearchParams();
  setConditions(query, {});
  setConditions(query, undefined);
  expect(query.size).toBe(0);
  setConditions(query, { limit: 3, owner: null });
  expect(query.get('[and]')).toBe('[{"limit":3,"owner":null}]');
});

test('groups, fields of other rows, parts of json and rows of the other side have brackets', () => {
  const where = {
    OR: [{ rank: { gte: 3 } }, { NOT: { 'organisation.name': 'A' } }],
    AND: [{ 'meta/level': { gt: 1 } }],
    comment_by_ticket: { some: { text: 'red', 'author.name': 'Bob' }, none: {} },
    rank: { in: [1, 2] },
  };
  expect(wireOf(where)).toEqual({
    '[or]': [{ rank: { gte: 3 } }, { '[not]': { '[organisation.name]': 'A' } }],
    '[and]': [{ '[meta/level]': { gt: 1 } }],
    '[comment_by_ticket]': { some: { text: 'red', '[author.name]': 'Bob' }, none: {} },
    rank: { in: [1, 2] },
  });
});

test('a condition whose value is undefined is refused: it would let all rows through', () => {
  expect(() => wireOf({ owner: undefined })).toThrow('where: owner is undefined');
  expect(() => wireOf({ OR: [{ owner: undefined }] })).toThrow('where: owner is undefined');
  expect(() => wireOf({ rank: { gte: undefined } })).toThrow('an operator of rank is undefined');
  expect(() => wireOf({ comments: { some: { text: undefined } } })).toThrow('where: text is undefined');
});

test('many conditions travel in the body of a search, and so do those of the next page', async () => {
  const node = fakeNode((_, { length }) => [
    200,
    { data: [], page: { has_next_page: length === 1, end_cursor: 'c1' } },
  ]);
  const where = { id: { in: Array.from({ length: 500 }, (_, n) => `id-${n}`) } };
  for await (const _ of createClient({ ...HERE, token: 't', fetch: node.fetch })
    .from('note')
    .each({ where, limit: 2 }))
    void _;
  expect(
    node.sent.map(({ method, path, query, headers }) => [
      method,
      path,
      query.toString(),
      headers.get('idempotency-key'),
    ]),
  ).toEqual([
    ['POST', '/data/rest/note/search', 'limit=2&after=', null],
    ['POST', '/data/rest/note/search', 'limit=2&after=c1', null],
  ]);
  expect(node.sent[0]!.body).toEqual({ filter: where });
});

test('a long query without conditions stays a list', async () => {
  const node = fakeNode(() => [200, { data: [] }]);
  const fields = Array.from({ length: 900 }, (_, n) => `field_${n}`);
  await createClient({ ...HERE, token: 't', fetch: node.fetch })
    .from('note')
    .list({ fields });
  expect(node.sent.map(({ method }) => method)).toEqual(['GET']);
});

test('names and ids are kept apart from the path', async () => {
  const node = fakeNode(() => [200, { data: [{}] }]);
  const rows = createClient({ ...HERE, token: 't', fetch: node.fetch }).from('a/b');
  await rows.get('../x?y');
  await rows.update('1', {}, { version: 7 });
  await rows.delete('1', { purge: true });
  await rows.restore('1');
  expect(
    node.sent.map(({ method, path, query, headers }) => [method, path, query.toString(), headers.get('if-match')]),
  ).toEqual([
    ['GET', '/data/rest/a%2Fb/id/..%2Fx%3Fy', '', null],
    ['PATCH', '/data/rest/a%2Fb/id/1', '', '"7"'],
    ['DELETE', '/data/rest/a%2Fb/id/1', 'purge=true', null],
    ['POST', '/data/rest/a%2Fb/id/1/restore', '', null],
  ]);
});
