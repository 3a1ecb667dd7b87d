/** docs/contract/data.md §8.2: queries with filter, order, connections and includes, under the rules of REST. */
import { beforeAll, describe, expect, test } from 'vitest';
import { DataTenant, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import { atlas } from '../documents/product.ts';
import { ask, data } from './kit.ts';

const OTHER = { ...USER, subject: 'u2', roles: [] };

let tenant: DataTenant;
const ids: Record<string, string> = {};

async function create(entity: string, row: object, principal = USER): Promise<string> {
  const { status, body } = await tenant.send('POST', `/data/rest/${entity}`, row, { principal });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data[0].id;
}

beforeAll(async () => {
  tenant = await DataTenant.open(atlas);
  for (const [id, name] of [
    ['FR', 'France'],
    ['IT', 'Italy'],
  ])
    await create('country', { id, name });
  const cities: [string, string | null, number | string][] = [
    ['Paris', 'FR', 2_100_000],
    ['Lyon', 'FR', 520_000],
    ['Nice', 'FR', 340_000],
    ['Rome', 'IT', 2_800_000],
    ['Nowhere', null, '9007199254740993'],
  ];
  for (const [name, country_id, population] of cities)
    ids[name] = await create('city', { name, country_id, population, climate: 'wet', stage: 'not yet', area: '1.50' });
  await tenant.send('PATCH', '/data/rest/country/id/FR', { capital_id: ids['Paris'] });
  await tenant.send('PATCH', `/data/rest/city/id/${ids['Lyon']}`, { twin: ids['Rome'], tags: { river: ['Rhône'] } });
  await create('note', { owner: 'u1', text: 'mine', city_id: ids['Paris'] });
  await create('note', { owner: 'u2', text: 'theirs', city_id: ids['Paris'] }, OTHER);
});

describe('lists', () => {
  test('filter, order, first and offset; a total only on request', async () => {
    const query = `query ($first: Int!, $country: ID!) {
      city(filter: {country_id: {eq: $country}}, order: [population_desc], first: $first, offset: 1) {
        nodes { name population } edges { node { name } } pageInfo { hasNextPage } total
      }
    }`;
    expect(await data(tenant, query, { first: 1, country: 'FR' })).toEqual({
      city: {
        nodes: [{ name: 'Lyon', population: 520_000 }],
        edges: [{ node: { name: 'Lyon' } }],
        pageInfo: { hasNextPage: true },
        total: 3,
      },
    });
    const all = await data(tenant, query, { first: 5, country: 'FR' });
    expect(all.city.pageInfo).toEqual({ hasNextPage: false });
  });

  test('values are those of REST: big integers, decimals, enums that GraphQL cannot spell, JSON, markers', async () => {
    const [row] = (await tenant.send('GET', '/data/rest/city?name=Lyon')).body.data;
    const query = `{ city(filter: {name: {eq: "Lyon"}}) { nodes { ${Object.keys(row).join(' ')} } } }`;
    expect((await data(tenant, query)).city.nodes).toEqual([row]);
    const big = '{ city(filter: {population: {eq: 9007199254740993}}) { nodes { population stage climate } } }';
    expect((await data(tenant, big)).city.nodes).toEqual([
      { population: '9007199254740993', stage: 'not yet', climate: 'wet' },
    ]);
  });

  test('an empty page of nothing', async () => {
    const query = '{ city(first: 0) { nodes { id } total pageInfo { hasNextPage } } }';
    expect((await data(tenant, query)).city).toEqual({ nodes: [], total: 5, pageInfo: { hasNextPage: false } });
  });

  test('soft-deleted rows are there only when asked for', async () => {
    const id = await create('city', { name: 'Atlantis' });
    await tenant.send('DELETE', `/data/rest/city/id/${id}`);
    const names = async (args: string) =>
      (await data(tenant, `{ city${args} { nodes { name } } }`)).city.nodes.map(({ name }: { name: string }) => name);
    expect(await names('')).not.toContain('Atlantis');
    expect(await names('(deleted: true)')).toContain('Atlantis');
    expect((await data(tenant, `{ city_by_id(id: "${id}") { name } }`)).city_by_id).toBeNull();
    await tenant.send('DELETE', `/data/rest/city/id/${id}?purge=true`);
  });
});

describe('rows and relations', () => {
  test('one row, and what it refers to in both directions', async () => {
    const query = `query ($id: ID!) {
      city_by_id(id: $id) {
        name
        country { name capital { name country { id } } }
        twin_ { name }
        city_by_twin { nodes { name } total }
        country_by_capital { nodes { id } }
      }
    }`;
    expect((await data(tenant, query, { id: ids['Paris'] })).city_by_id).toEqual({
      name: 'Paris',
      country: { name: 'France', capital: { name: 'Paris', country: { id: 'FR' } } },
      twin_: null,
      city_by_twin: { nodes: [], total: 0 },
      country_by_capital: { nodes: [{ id: 'FR' }] },
    });
    const rome = await data(tenant, query, { id: ids['Rome'] });
    expect(rome.city_by_id.city_by_twin).toEqual({ nodes: [{ name: 'Lyon' }], total: 1 });
    expect((await data(tenant, query, { id: 'absent' })).city_by_id).toBeNull();
  });

  test('connections below rows are filtered, ordered and paged like those at the root', async () => {
    const query = `{ country(order: [id_asc]) { nodes { id
      city_by_country(order: [name_asc], first: 2) { nodes { name } total pageInfo { hasNextPage } } } } }`;
    expect((await data(tenant, query)).country.nodes).toEqual([
      {
        id: 'FR',
        city_by_country: { nodes: [{ name: 'Lyon' }, { name: 'Nice' }], total: 3, pageInfo: { hasNextPage: true } },
      },
      { id: 'IT', city_by_country: { nodes: [{ name: 'Rome' }], total: 1, pageInfo: { hasNextPage: false } } },
    ]);
  });

  test('aliases, fragments, directives and variables with defaults', async () => {
    const query = `query ($with: Boolean = false, $n: Int! = 1) {
      big: city(order: [population_desc], first: $n) { ...page }
      small: city(order: [population_asc], first: $n) { ...page nodes { climate @include(if: $with) } }
    }
    fragment page on CityConnection { nodes { name ... on City { population @skip(if: $with) } } }`;
    expect(await data(tenant, query)).toEqual({
      big: { nodes: [{ name: 'Nowhere', population: '9007199254740993' }] },
      small: { nodes: [{ name: 'Nice', population: 340_000 }] },
    });
    const other = await data(tenant, query, { with: true, n: 2 });
    expect(other.small.nodes[0]).toEqual({ name: 'Nice', climate: 'wet' });
  });
});

describe('what a caller may not see', () => {
  test('row rules hide rows in lists, totals, single rows and relations', async () => {
    const query = `{ note { nodes { text } total } city_by_id(id: "${ids['Paris']}") { note_by_city { nodes { text } total } } }`;
    const mine = { nodes: [{ text: 'mine' }], total: 1 };
    expect(await data(tenant, query)).toEqual({ note: mine, city_by_id: { note_by_city: mine } });
    const theirs = { nodes: [{ text: 'theirs' }], total: 1 };
    expect(await data(tenant, query, {}, OTHER)).toEqual({ note: theirs, city_by_id: { note_by_city: theirs } });
    const note = (await data(tenant, '{ note { nodes { id } } }')).note.nodes[0].id;
    expect(await data(tenant, `{ note_by_id(id: "${note}") { text } }`, {}, OTHER)).toEqual({ note_by_id: null });
  });

  test('entities that the caller may never read do not exist: no field, no relation, no type, no suggestion', async () => {
    const introspect = '{ __schema { types { name } } }';
    expect(JSON.stringify(await data(tenant, introspect, {}, OTHER))).not.toMatch(/vault|sealed/i);
    expect(JSON.stringify(await data(tenant, introspect, {}, SUPERADMIN))).toMatch(/Sealed/);
    for (const query of [
      '{ vaul { total } }',
      '{ vault { total } }',
      '{ city { nodes { vault_by_city { total } } } }',
    ]) {
      const { status, body } = await ask(tenant, query, {}, { principal: OTHER });
      expect(status).toBe(400);
      expect(body).not.toHaveProperty('data');
      expect(body.errors[0].message).not.toMatch(/Did you mean.*vault/);
    }
    expect(await data(tenant, '{ vault { total } }')).toEqual({ vault: { total: 0 } });
  });

  test('SDL is of the same schema', async () => {
    const sdl = async (principal = USER) =>
      (await tenant.send('GET', '/data/schema/graphql', undefined, { principal })).body as string;
    expect(await sdl()).toContain('type City {');
    expect(await sdl()).toContain('vault(');
    expect(await sdl(OTHER)).not.toMatch(/vault/i);
    expect(await sdl(OTHER)).not.toContain('update_note');
    expect(await sdl()).toContain('update_note(id: ID!, data: NoteUpdate!): Note!');
  });
});

describe('faults of a request', () => {
  const bad: [string, string, object, string][] = [
    ['no document', '', {}, 'v2.graphql_invalid'],
    ['a syntax error', '{', {}, 'v2.graphql_invalid'],
    ['an unknown field', '{ city { nodes { nope } } }', {}, 'v2.graphql_invalid'],
    ['an unknown filter', '{ city(filter: {nope: {eq: 1}}) { total } }', {}, 'v2.graphql_invalid'],
    ['a filter on JSON', '{ city(filter: {tags: {eq: 1}}) { total } }', {}, 'v2.graphql_invalid'],
    ['an unknown enum value', '{ city(filter: {climate: {eq: hot}}) { total } }', {}, 'v2.graphql_invalid'],
    ['a fraction for an integer', '{ city(filter: {population: {eq: 1.5}}) { total } }', {}, 'v2.graphql_invalid'],
    ['a date that is none', '{ city(filter: {founded: {eq: "2026-02-30"}}) { total } }', {}, 'v2.graphql_invalid'],
    ['a subscription', 'subscription { city { total } }', {}, 'v2.graphql_invalid'],
    ['a missing variable', 'query ($id: ID!) { city_by_id(id: $id) { id } }', {}, 'v2.graphql_invalid'],
    [
      'a variable of the wrong type',
      'query ($n: Int!) { city(first: $n) { total } }',
      { n: 'x' },
      'v2.graphql_invalid',
    ],
    ['two operations and no name', 'query a { __typename } query b { __typename }', {}, 'v2.graphql_invalid'],
    ['a cycle of fragments', '{ city { ...a } } fragment a on CityConnection { ...a total }', {}, 'v2.graphql_invalid'],
  ];

  test.each(bad)('%s: 400 and no data, twice', async (_name, query, variables, code) => {
    for (let i = 0; i < 2; i++) {
      const { status, body } = await ask(tenant, query, { ...variables });
      expect(status).toBe(400);
      expect(body).not.toHaveProperty('data');
      expect(body.errors[0].extensions.code).toBe(code);
    }
  });

  test.each([
    ['a page longer than allowed', '{ city(first: 1001) { pageInfo { hasNextPage } } }'],
    ['a negative page', '{ city(first: -1) { total } }'],
    ['first and last at once', '{ city(first: 1, last: 1) { total } }'],
    ['after with last', '{ city(last: 1, after: "x") { total } }'],
    ['before without last', '{ city(before: "x") { total } }'],
    ['a cursor that is none', '{ city(after: "x") { total } }'],
    ['an offset from a cursor', '{ city(last: 1, offset: 1) { total } }'],
    ['a negative offset', '{ city(offset: -1) { total } }'],
    ['a value of another kind', '{ city(filter: {twin: {eq: "nope"}}) { total } }'],
  ])('%s: the field is null, v2.query_failed says why', async (_name, query) => {
    const { status, body } = await ask(tenant, query);
    expect(status).toBe(200);
    expect(body.data).toEqual({ city: null });
    expect(body.errors[0]).toMatchObject({ path: ['city'], extensions: { code: 'v2.query_failed', status: 422 } });
  });
});
