/** docs/contract/data.md §8.1: OpenAPI is 3.1 and per tenant. The document passes Redocly's linter, and answers keep to it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { DataTenant, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import { AnswerCheck } from '#test/kit/answer-check.ts';
import { lintOpenApi } from '#test/kit/redocly.ts';
import { atlas } from './product.ts';

const READER = { ...USER, subject: 'u2', roles: [] };

let tenant: DataTenant;
beforeAll(async () => {
  tenant = await DataTenant.open(atlas);
});

const documentFor = async (principal = USER) =>
  (await tenant.send('GET', '/data/schema/openapi.json', undefined, { principal })).body;

/** What Redocly's recommended rules say, each thing once. */
async function lint(document: unknown): Promise<string[]> {
  const problems = await lintOpenApi(JSON.stringify(document));
  return [...new Set(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`))];
}

describe('the document', () => {
  test('passes the linter with its recommended rules; a planted fault does not', async () => {
    const document = await documentFor();
    expect(document.openapi).toBe('3.1.0');
    expect(await lint(document)).toEqual([]);
    delete document.components.schemas['city.envelope'];
    expect((await lint(document)).join()).toContain('no-unresolved-refs');
  }, 60_000);

  test('spells the routes out for each entity, with what the caller may ever do', async () => {
    const { paths, components } = await documentFor(READER);
    expect(Object.keys(paths['/data/rest/city'])).toEqual(['get', 'post', 'put', 'patch', 'delete']);
    expect(Object.keys(paths['/data/rest/note'])).toEqual(['get', 'post']);
    expect(paths['/data/rest/vault']).toBeUndefined();
    expect(JSON.stringify({ paths, components })).not.toMatch(/vault|sealed/);
    expect((await documentFor(SUPERADMIN)).paths['/data/rest/sealed']).toBeDefined();
    expect(components.schemas['city.create'].required).toEqual(['name']);
    expect(components.schemas['country.create'].required).toEqual(['id', 'name']);
    expect(paths['/data/rest/city'].get.parameters.map((one: { name?: string }) => one.name)).toContain('population');
    expect(paths['/data/rest/city'].get.security).toEqual([{ bearer: [] }, { staticKey: [] }]);
  });
});

describe('declared actions', () => {
  const statement = (text: string) => ({ text, file: 'actions/a.yaml', line: 5, column: 7 });
  const place = { where: 'actions/a.yaml:1:1', entities: null };
  const editors = { language: 'cel' as const, rule: '"editor" in principal.roles' };
  const anyone = { language: 'cel' as const, rule: 'request.data.secret == "s"' };
  const product = {
    ...atlas,
    actions: [
      {
        ...place,
        name: 'count_cities',
        description: 'How many there are',
        access: anyone,
        sections: {
          read: {
            params: {
              least: { type: 'integer' as const, list: false, required: false, default: 3 },
              names: { type: 'string' as const, list: true, required: true, default: undefined },
            },
            sql: statement('select count(*) as n from city where population > :least and name in (:names)'),
            where: place.where,
          },
        },
      },
      {
        ...place,
        name: 'rename',
        description: '',
        access: editors,
        sections: {
          update: {
            params: { to: { type: 'decimal' as const, list: false, required: true, default: undefined } },
            sql: statement('update city set area = :to'),
            where: place.where,
          },
        },
      },
    ],
  };
  const pathsFor = async (on: DataTenant, roles: readonly string[]) =>
    (await on.send('GET', '/data/schema/openapi.json', undefined, { principal: { ...USER, roles } })).body;

  test('stand there with their parameters, for callers whom their rules might let in', async () => {
    const own = await DataTenant.open(product);
    const whole = await pathsFor(own, ['editor']);
    expect(await lint(whole)).toEqual([]);
    const { get } = whole.paths['/data/actions/count_cities'];
    expect([get.summary, get['x-writes']]).toEqual(['How many there are', false]);
    expect(get.parameters.filter((one: { in?: string }) => one.in === 'query')).toEqual([
      {
        name: 'least',
        in: 'query',
        required: false,
        schema: expect.objectContaining({ 'x-type': 'integer', default: 3 }),
      },
      {
        name: 'names',
        in: 'query',
        required: true,
        schema: expect.objectContaining({ type: 'array', 'x-type': 'string[]' }),
      },
    ]);
    expect(Object.keys(whole.paths['/data/actions/rename'])).toEqual(['put', 'patch']);
    const { patch } = whole.paths['/data/actions/rename'];
    expect(patch['x-writes']).toBe(true);
    expect(patch.requestBody.content['application/json'].schema).toMatchObject({
      required: ['to'],
      properties: { to: { 'x-type': 'decimal' } },
    });
    const reader = await pathsFor(own, []);
    expect(reader.paths['/data/actions/count_cities']).toBeDefined();
    expect(reader.paths['/data/actions/rename']).toBeUndefined();
  }, 60_000);
});

test('answers of the service keep to the document', async () => {
  const check = new AnswerCheck(await documentFor());
  const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, template: string, body?: unknown) => {
    const answer = await tenant.send(method, path, body);
    check.expect(template, method, answer.status, answer.body);
    return answer;
  };
  const country = { id: 'FR', name: 'France' };
  expect((await send('POST', '/data/rest/country', '/data/rest/country', country)).status).toBe(201);
  const city = {
    name: 'Paris',
    country_id: 'FR',
    population: '9007199254740993',
    height: 35.5,
    area: '105.40',
    founded: '0987-07-03',
    seen_at: '2026-01-01T00:00:00Z',
    capital: true,
    climate: 'wet',
    code: '01890a5d-ac96-774b-bcce-b302099a8057',
    tags: { a: [1] },
    seal: 'AAEC',
  };
  const created = await send('POST', '/data/rest/city', '/data/rest/city', city);
  expect(created.status).toBe(201);
  const { id } = created.body.data[0];
  const one = '/data/rest/city/id/{id}';
  await send('GET', `/data/rest/city/id/${id}`, one);
  await send('GET', '/data/rest/city?stats=true&meta=true&allowedactions=true', '/data/rest/city');
  await send('GET', '/data/rest/city?select=name', '/data/rest/city');
  await send('PATCH', `/data/rest/city/id/${id}`, one, { capital: null });
  const statuses = [
    (await send('GET', '/data/rest/city/id/none', one)).status,
    (await send('GET', '/data/rest/city?nope=1', '/data/rest/city')).status,
    (await send('POST', '/data/rest/city', '/data/rest/city', '{')).status,
    (await send('POST', '/data/rest/city', '/data/rest/city', { name: 5 })).status,
    (await send('PATCH', '/data/rest/city', '/data/rest/city', { name: 'x' })).status,
    (await send('DELETE', '/data/rest/country/id/FR', '/data/rest/country/id/{id}')).status,
  ];
  expect(statuses).toEqual([404, 422, 400, 422, 400, 422]);
  await send('DELETE', `/data/rest/city/id/${id}`, one);
  for (const path of ['/data/schema', '/data/schema/entities', '/data/health']) await send('GET', path, path);
});

test('an answer that strays from the document is found', async () => {
  const check = new AnswerCheck(await documentFor());
  const row = { data: [{ id: 'x', version: 'one' }], count: 1 };
  expect(() => check.expect('/data/rest/city', 'GET', 200, row)).toThrow();
  expect(() => check.expect('/data/rest/city', 'GET', 418, {})).toThrow('418 is not described');
});
