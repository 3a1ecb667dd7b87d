import { expect, test } from 'vitest';
import { explainLine } from '#console/scratch/explain-line.ts';
import { ADDRESS_CHARS_MAX, inAddress, readExpressionSearch, readGraphqlSearch } from '#console/scratch/search.ts';

test('the address has texts, whatever was written there', () => {
  expect(readGraphqlSearch({ query: '{ a }', variables: ['{}', 'x'], type: '', more: '1' })).toEqual({
    query: '{ a }',
    variables: '{}',
  });
  expect(readExpressionSearch({ entity: 'ticket', expression: 1 })).toEqual({ entity: 'ticket', expression: '1' });
});

test('a document that is too long is not in the address, and no half of it', () => {
  expect(inAddress('{ a }', ' ')).toEqual({ query: '{ a }' });
  expect(inAddress('x'.repeat(ADDRESS_CHARS_MAX - 1), '{}')).toEqual({});
});

test('the line of a question quotes every word for a shell', () => {
  const asked = { key: 'a:b:c:d', entity: 'ticket', person: 'eve@example.org', reason: "it's 4711" };
  expect(explainLine({ ...asked, id: 'x y', parameters: 'limit=1' })).toBe(
    "skep explain -f platform.yaml GET '/data/rest/ticket/id/x%20y' --as eve@example.org --reason 'it'\\''s 4711' --tenant a:b:c:d",
  );
  expect(explainLine({ ...asked, id: '', parameters: 'limit=1&a=$(b)' })).toContain(
    "'/data/rest/ticket?limit=1&a=$(b)'",
  );
});
