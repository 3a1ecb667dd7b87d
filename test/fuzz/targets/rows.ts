/** Requests to a tenant's rows, as the host hands them to the data service: lists, searches, GraphQL, bodies. */
import type { DataTenant } from '#test/kit/data-call.ts';
import type { Method } from '#actors/protocol/method.ts';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must } from './must.ts';

type Ask = (method: Method, path: string, body?: unknown, extra?: string) => Promise<void>;

/** Asks, and holds the status against the row of the route. A turn that burns too much is refused as 503. */
async function asking(): Promise<{ readonly ask: Ask; readonly tenant: DataTenant }> {
  const { DataTenant, USER } = await import('#test/kit/data-call.ts');
  const { atlas } = await import('#test/actors/data/documents/product.ts');
  const { refusals } = await import('#actors/data/refusals.ts');
  const known: Readonly<Record<string, { readonly statuses: readonly number[] }>> = refusals;
  const tenant = await DataTenant.open(atlas);
  for (const [id, name] of [
    ['FR', 'France'],
    ['IT', 'Italy'],
  ])
    await tenant.send('POST', '/data/rest/country', { id, name });
  for (const name of ['Paris', 'Lyon', 'Rome'])
    await tenant.send('POST', '/data/rest/city', {
      name,
      country_id: 'FR',
      population: 5,
      climate: 'wet',
      stage: 'not yet',
      area: '1.50',
    });
  const ask: Ask = async (method, path, body, extra = '') => {
    const { call, outcome } = await tenant.begin(method, path, body, { principal: USER, extra });
    const { row } = call.route;
    const statuses = [
      ...Object.keys(row.replies).map(Number),
      ...row.refusals.flatMap((code) => known[code]!.statuses),
    ];
    must(statuses.includes(outcome.status) && outcome.status !== 500, `status ${outcome.status} of ${method} ${path}`);
  };
  return { ask, tenant };
}

const COVERS = ['/actors/data/', '/actors/engine/', '/actors/kit/json.ts', '/config/values/'];
const FIELDS = [
  'id',
  'name',
  'country_id',
  'population',
  'climate',
  'stage',
  'area',
  'tags',
  'twin',
  'created_at',
  '__proto__',
];
const OPERATORS = [
  '[gt]',
  '[gte]',
  '[in]',
  '[like]',
  '[between]',
  '[is]',
  '[ne]',
  '[some]',
  '[none]',
  '[or]',
  '[and]',
  '[not]',
  '[bucket]',
  '[aggregate]',
  '[zone]',
  '[filter]',
  '[orderby]',
  '[limit]',
];
const KEYS = [
  'select',
  'orderby',
  'limit',
  'offset',
  'page',
  'after',
  'before',
  'include',
  'filter',
  'groupby',
  'having',
  'depth',
  'deleted',
  'stats',
  'version',
  'expression',
  'datastore',
];

export async function queryTarget(): Promise<Target> {
  const { ask } = await asking();
  return {
    name: 'query',
    costs: 4,
    form: 'text',
    covers: COVERS,
    seeds: [
      'name=Paris&limit=10&orderby=-name,id&select=id,name',
      'population[gte]=5&population[between]=1,9&name[like]=P%25&climate[in]=wet,dry',
      '[or]=[{"name":"Paris"},{"population":{"gt":3}}]&[not]={"climate":"wet"}',
      'groupby=climate&select=climate,count(*),sum(population)&having=count(*)[gt]=1&orderby=-climate',
      'include=country_by_country_id&depth=2&[country_by_country_id][select]=name&deleted=true',
      'after=&limit=2&orderby=name',
      'before=AAAA&limit=2',
      '[country_by_country_id][name]=France&stats=true',
      'filter=name=Paris&filter=population[gt]=1&page=2&pagesize=5&unmask=true&version=1',
      'expression=.data%7Clength&limit=1',
      '[bucket]=month(created_at)&[zone]=Europe/Berlin&[aggregate]=count(*)',
    ],
    words: [
      ...FIELDS,
      ...OPERATORS,
      ...KEYS,
      '&',
      '=',
      ',',
      '%00',
      '%',
      '-',
      'null',
      'count(*)',
      'sum(',
      ')',
      '{"',
      '"}',
    ],
    bytesMax: 4096,
    stepsMax: linear(150_000, 2000),
    // What a request line can hold: a server lets neither blanks nor bytes beyond ASCII in.
    run: (input) => ask('GET', `/data/rest/city?${input.toString('latin1').replaceAll(/[^\x21-\x7e]|[?#]/g, '')}`),
  };
}

export async function rowTarget(): Promise<Target> {
  const { ask } = await asking();
  return {
    name: 'row',
    costs: 3,
    form: 'json',
    covers: COVERS,
    seeds: [
      JSON.stringify({
        name: 'Oslo',
        country_id: 'IT',
        population: 7,
        climate: 'dry',
        stage: 'not yet',
        area: '2.5',
        tags: { a: [1] },
      }),
      JSON.stringify([{ name: 'Bari', country_id: 'IT' }, { name: 'Como' }]),
      '{"name":"x","population":9007199254740993,"area":"-0.10"}',
    ],
    words: [...FIELDS, '1e400', '-0', '12345678901234567890.123', '2026-13-01', 'wet'],
    bytesMax: 16_384,
    stepsMax: linear(100_000, 600),
    run: (input) => ask('POST', '/data/rest/city', input.toString(), 'content-type:application/json\n'),
  };
}

const GRAPHQL_WORDS = [
  ...FIELDS,
  'query',
  'mutation',
  'subscription',
  'fragment',
  'on',
  '...',
  '@skip(if: true)',
  '@include(if: $x)',
  '$x',
  '__typename',
  '__schema',
  '__type(name: "city")',
  'filter:',
  'first:',
  'after:',
  'order:',
  'nodes',
  'edges',
  'pageInfo',
  'total',
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  ':',
  '!',
  '"""',
  '\\u{110000}',
  '1e400',
  'null',
  '#',
  'OR:',
  'AND:',
  'NOT:',
];

/** The document alone on its first line, its variables behind it. */
export async function graphqlTarget(): Promise<Target> {
  const { ask } = await asking();
  return {
    name: 'graphql',
    costs: 4,
    form: 'text',
    covers: ['/actors/data/graphql/', '/actors/engine/rows/', '/node_modules/graphql/language/'],
    seeds: [
      '{ city(filter: {name: {eq: "Paris"}}, order: [population_desc], first: 1) { nodes { name population } pageInfo { hasNextPage } total } }',
      'query ($first: Int!, $country: ID!) { city(first: $first, filter: {country_id: {eq: $country}}) { edges { cursor node { id ...f } } } } fragment f on city { name @include(if: true) }\u0000{"first":2,"country":"FR"}',
      'mutation { create_country(input: {id: "ES", name: "Spain"}) { id name } }',
      '{ __schema { types { name kind fields { name } } } __typename }',
      '{ a: city { nodes { country_by_country_id { name } } } ... { b: country { nodes { __typename } } } }',
    ],
    words: GRAPHQL_WORDS,
    bytesMax: 8192,
    stepsMax: linear(400_000, 6000),
    run: (input) => {
      const [query = '', variables = '{}'] = input.toString().split('\0');
      const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
      return ask('POST', '/data/graphql', body, 'content-type:application/json\n');
    },
  };
}
