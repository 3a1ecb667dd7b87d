/** docs/contract/data.md §8.2: depth and cost limits. What abuses GraphQL is refused before anything is read, and kept things stay bounded. */
import { beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { buildSchema, getIntrospectionQuery, parse } from 'graphql';
import { dataService } from '#actors/data/service.ts';
import { prepare, PreparedDocuments, type Prepared } from '#actors/data/graphql/prepared.ts';
import { survey } from '#actors/data/graphql/survey.ts';
import { DataTenant, USER } from '#test/kit/data-call.ts';
import { atlas } from '../documents/product.ts';
import { ask, data, JSON_BODY } from './kit.ts';

const { aliasesMax, costMax, depthMax, documentCharsMax, fieldsMax, keptCharsMax } = limits.graphql;

let tenant: DataTenant;
beforeAll(async () => {
  tenant = await DataTenant.open(atlas);
});

const nested = (levels: number): string => {
  let query = 'id';
  for (let i = 0; i < levels; i++) query = i % 2 === 0 ? `country { ${query} }` : `capital { ${query} }`;
  return query;
};

/** Each fragment spreads the next one twice: 2^n fields. */
function bomb(levels: number): string {
  let text = '{ city { nodes { ...f0 } } }';
  for (let i = 0; i < levels; i++) text += ` fragment f${i} on City { ...f${i + 1} ... on City { ...f${i + 1} } }`;
  return `${text} fragment f${levels} on City { id }`;
}

const tooComplex: [string, string][] = [
  ['deep nesting', `{ city { nodes { ${nested(depthMax + 1)} } } }`],
  ['aliases', `{ ${Array.from({ length: aliasesMax + 1 }, (_, i) => `a${i}: __typename`).join(' ')} }`],
  ['fields', `{ city { nodes { ${'name '.repeat(fieldsMax)} } } }`],
  ['a fragment bomb', bomb(40)],
  ['fields of a fragment that nothing spreads', `{ __typename } fragment f on City { ${'id '.repeat(fieldsMax)} }`],
  ['fields of many fragments of one name', `{ __typename } ${'fragment f on City { id name } '.repeat(fieldsMax / 2)}`],
  ['deeply nested lists', `{ city(order: ${'['.repeat(2000)}${']'.repeat(2000)}) { total } }`],
  ['deeply nested types', `query ($a: ${'['.repeat(2000)}Int${']'.repeat(2000)}) { __typename }`],
  ['a huge document', `{ __typename } # ${'x'.repeat(documentCharsMax)}`],
  ['wide pages', '{ city(first: 1000) { nodes { note_by_city(first: 1000) { nodes { id } } } } }'],
  [
    'pages below pages',
    '{ city { nodes { city_by_twin { nodes { city_by_twin { nodes { city_by_twin { nodes { id } } } } } } } } }',
  ],
  [
    'pages by many names',
    `{ ${Array.from({ length: 60 }, (_, i) => `a${i}: city(first: 999) { nodes { id } }`).join(' ')} }`,
  ],
];

describe('v2.graphql_too_complex', () => {
  test.each(tooComplex)('%s', async (_name, query) => {
    const { status, body } = await ask(tenant, query);
    expect(status).toBe(400);
    expect(body).not.toHaveProperty('data');
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].extensions.code).toBe('v2.graphql_too_complex');
  });

  test('a page given by variable counts as much as one in the document', async () => {
    const query = 'query ($n: Int! = 1000) { city(first: $n) { nodes { note_by_city(first: $n) { nodes { id } } } } }';
    expect((await ask(tenant, query)).body.errors[0].extensions.details.cost).toBeGreaterThan(costMax);
    expect((await ask(tenant, query, { n: 2 })).body.errors).toBeUndefined();
    expect((await ask(tenant, query, { n: 1e308 })).body.errors[0].extensions.code).toBe('v2.graphql_invalid');
  });

  test("the bound is the node's to set", async () => {
    const small = await DataTenant.open(atlas, { service: dataService({ graphqlCostMax: 10 }) });
    const query = '{ city(first: 5) { nodes { id name } } }';
    expect((await ask(small, query)).body.errors[0].extensions.details).toMatchObject({ most: 10 });
    expect((await ask(tenant, query)).status).toBe(200);
  });

  test('what is skipped costs nothing', async () => {
    const query = `query ($deep: Boolean!) { city(first: 1000) { nodes { id note_by_city(first: 1000) @include(if: $deep) { nodes { id } } } } }`;
    expect((await ask(tenant, query, { deep: false })).status).toBe(200);
    expect((await ask(tenant, query, { deep: true })).status).toBe(400);
  });
});

describe('refused as well', () => {
  test.each([
    ['more tokens than are looked at', `{ ${'a '.repeat(9000)} }`, 'v2.graphql_invalid'],
    ['directives upon directives', `{ __typename ${'@skip(if: false) '.repeat(400)} }`, 'v2.graphql_invalid'],
    [
      'a circle of fragments',
      '{ city { ...a } } fragment a on CityConnection { ...b } fragment b on CityConnection { ...a }',
      'v2.graphql_invalid',
    ],
    [
      'a circle with breadth',
      '{ city { ...a } } fragment a on CityConnection { ...a ...a ...a total }',
      'v2.graphql_invalid',
    ],
    [
      'introspection in circles',
      '{ __schema { types { fields { type { fields { type { fields { type { fields { type { name } } } } } } } } } } }',
      'v2.graphql_invalid',
    ],
  ])('%s', async (_name, query, code) => {
    const { status, body } = await ask(tenant, query);
    expect(status).toBe(400);
    expect(body.errors.length).toBeLessThanOrEqual(limits.graphql.validationErrorsMax + 1);
    expect(body.errors[0].extensions.code).toBe(code);
  });

  test('a list of requests, and bodies that are none: 400 v2.bad_json', async () => {
    const request = { query: '{ __typename }' };
    const bodies = ['{', '[]', 'null', '"x"', '{"query":"{ __typename }","query":"{ __typename }"}', '['.repeat(5000)];
    for (const body of [
      [request, request],
      {},
      { query: 1 },
      { ...request, variables: [] },
      { ...request, operationName: 1 },
      ...bodies,
    ]) {
      const answer = await tenant.send('POST', '/data/graphql', body, {
        principal: USER,
        extra: JSON_BODY,
      });
      expect(answer).toMatchObject({ status: 400, body: { code: 'v2.bad_json' } });
    }
  });

  test('names that every object has are no fields and no operations', async () => {
    for (const query of ['{ constructor }', '{ __proto__ }', '{ city { nodes { hasOwnProperty } } }'])
      expect((await ask(tenant, query)).status).toBe(400);
    const variables = JSON.parse('{"constructor": 1}') as Record<string, unknown>;
    expect((await ask(tenant, 'query ($constructor: Int) { city(first: 1) { nodes { id } } }', variables)).status).toBe(
      400,
    );
  });
});

test('introspection of tools passes, compiled as well', async () => {
  const answer = await data(tenant, getIntrospectionQuery());
  expect(answer.__schema.queryType.name).toBe('Query');
  expect(survey(parse(getIntrospectionQuery())).fields).toBeLessThan(fieldsMax - 50);
});

describe('a survey', () => {
  test('counts what fragments stand for, each time they are spread', () => {
    expect(survey(parse('{ a { ...f } b: a { ...f } } fragment f on T { x y { z } }'))).toEqual({
      fields: 10,
      aliases: 1,
      depth: 3,
      introspects: false,
    });
    expect(survey(parse(bomb(40))).fields).toBeGreaterThan(2 ** 40);
  });
});

describe('kept documents', () => {
  const schema = buildSchema('type Query { a: Int }');
  const made = (text: string): Prepared => prepare(schema, text) as Prepared;

  test('are bounded by their characters, and those in use stay', () => {
    const documents = new PreparedDocuments();
    const often = '{ a }';
    documents.set(often, made(often));
    const filler = '#'.padEnd(1000, 'x');
    const rounds = (4 * keptCharsMax) / 1000;
    for (let i = 0; i < rounds; i++) {
      const text = `{ a${i}: a } ${filler}`;
      documents.set(text, made(text));
      expect(documents.get(often)).toBeDefined();
    }
    expect(documents.size).toBeLessThan(keptCharsMax / 1000 + 2);
    expect(documents.get(`{ a0: a } ${filler}`)).toBeUndefined();
  });

  test('faulty ones are not kept', () => {
    expect(prepare(schema, '{ b }')).toHaveLength(1);
  });
});
