import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { exampleOf, operationsIn, variablesIn } from '#console/scratch/document.ts';

test('operations of a document are named with their kinds; a text that is none has none', () => {
  expect(operationsIn('query one { a } mutation { b } fragment f on T { c }')).toEqual([
    { name: 'one', kind: 'query' },
    { name: undefined, kind: 'mutation' },
  ]);
  expect(operationsIn('{ a')).toEqual([]);
  expect(operationsIn('')).toEqual([]);
});

test('variables are a JSON object, or none', () => {
  expect(variablesIn(' ')).toEqual({});
  expect(variablesIn('{"a": [1]}')).toEqual({ a: [1] });
  for (const text of ['[1]', 'null', '1', '{']) expect(variablesIn(text)).toBeNull();
});

test('an example asks for the first list without arguments, by fields without parts', () => {
  const schema = buildSchema(`
    type Query { ticket_by_id(id: ID!): Ticket  ticket(first: Int, after: String): TicketConnection }
    type TicketConnection { edges: [Edge!]! }
    type Edge { node: Ticket }
    type Ticket { id: ID! subject: String owner: Ticket part(of: String!): String }`);
  expect(exampleOf(schema).replaceAll(/\s+/g, ' ')).toBe(
    'query { ticket(first: 5) { edges { node { id subject } } } } ',
  );
  expect(exampleOf(buildSchema('type Query { _empty: Boolean }'))).toBe('');
});
