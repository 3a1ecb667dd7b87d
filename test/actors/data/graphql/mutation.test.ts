/** docs/contract/data.md §8.2: mutations create, update, delete, restore; all of a request are one transaction. */
import { beforeEach, describe, expect, test } from 'vitest';
import { DataTenant, USER } from '#test/kit/data-call.ts';
import { atlas } from '../documents/product.ts';
import { ask, data } from './kit.ts';

const OTHER = { ...USER, subject: 'u2', roles: [] };

let tenant: DataTenant;
beforeEach(async () => {
  tenant = await DataTenant.open(atlas);
});

const total = async (entity: string): Promise<number> => (await tenant.send('GET', `/data/rest/${entity}`)).body.total;

test('create, update and delete show the row as REST would', async () => {
  const created = await data(
    tenant,
    'mutation ($data: CityCreate!) { create_city(data: $data) { id name version area } }',
    {
      data: { name: 'Oslo', area: 1.25, seen_at: '2026-01-01T00:00:00Z' },
    },
  );
  const { id } = created.create_city;
  expect(created.create_city).toEqual({ id, name: 'Oslo', version: 1, area: '1.25' });
  const updated = await data(
    tenant,
    `mutation { update_city(id: "${id}", data: {climate: dry, area: null}) { climate area version } }`,
  );
  expect(updated.update_city).toEqual({ climate: 'dry', area: null, version: 2 });
  expect((await tenant.send('GET', `/data/rest/city/id/${id}`)).body.data[0]).toMatchObject({
    name: 'Oslo',
    climate: 'dry',
  });
  const deleted = await data(tenant, `mutation { delete_city(id: "${id}") { name deleted_by } }`);
  expect(deleted.delete_city).toEqual({ name: 'Oslo', deleted_by: 'u1' });
  expect((await tenant.send('GET', `/data/rest/city/id/${id}`)).status).toBe(404);
  const restored = await data(tenant, `mutation { restore_city(id: "${id}") { name deleted_by } }`);
  expect(restored.restore_city).toEqual({ name: 'Oslo', deleted_by: null });
  const live = await ask(tenant, `mutation { restore_city(id: "${id}") { name } }`);
  expect(live.body.errors[0].extensions).toMatchObject({ code: 'v2.restore_failed', status: 422 });
  const purged = await data(tenant, `mutation { delete_city(id: "${id}", purge: true) { id } }`);
  expect(purged.delete_city).toEqual({ id });
  expect((await tenant.send('GET', '/data/rest/city?deleted=true')).body.count).toBe(0);
});

test('later mutations see earlier ones, and the answer shows what is when all is written', async () => {
  const answer = await data(
    tenant,
    `mutation {
      a: create_country(data: {id: "NO", name: "Norway"}) { name city_by_country { total nodes { name country { id } } } }
      ...more
      c: update_country(id: "NO", data: {name: "Norge"}) { name }
    }
    fragment more on Mutation { b: create_city(data: {name: "Oslo", country_id: "NO"}) { country { name } } }`,
  );
  expect(answer).toEqual({
    a: { name: 'Norway', city_by_country: { total: 1, nodes: [{ name: 'Oslo', country: { id: 'NO' } }] } },
    b: { country: { name: 'Norge' } },
    c: { name: 'Norge' },
  });
});

describe('one that fails takes all with it', () => {
  const cases: [string, string, string, number, string[]][] = [
    ['a taken name', 'b: create_country(data: {id: "NX", name: "Norway"}) { id }', 'v2.create_failed', 422, ['b']],
    ['a faulty value', 'b: create_city(data: {name: "", population: -1}) { id }', 'v2.create_failed', 422, ['b']],
    ['no such row', 'b: update_city(id: "nope", data: {name: "x"}) { id }', 'v2.update_failed', 404, ['b']],
    [
      'a delete that is held',
      'b: create_city(data: {name: "Oslo", country_id: "NO"}) { id } c: delete_country(id: "NO") { id }',
      'v2.delete_failed',
      422,
      ['c'],
    ],
    [
      'a target that is not there',
      'b: create_city(data: {name: "Oslo", country_id: "XX"}) { id }',
      'v2.create_failed',
      422,
      ['b'],
    ],
  ];

  test.each(cases)('%s', async (_name, more, code, status, path) => {
    const query = `mutation { a: create_country(data: {id: "NO", name: "Norway"}) { id } ${more} d: create_country(data: {id: "DK", name: "Denmark"}) { id } }`;
    const answer = await ask(tenant, query);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toBeNull();
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body.errors[0]).toMatchObject({ path, extensions: { code, status } });
    expect(await total('country')).toBe(0);
    expect(await total('city')).toBe(0);
  });

  test('every fault of a row is listed under its field', async () => {
    const { body } = await ask(
      tenant,
      'mutation { create_city(data: {name: "x!", population: -1, height: 9999.5}) { id } }',
    );
    expect(Object.keys(body.errors[0].extensions.details.fields)).toEqual(['name', 'population', 'height']);
  });
});

test('rules: what is never allowed is no field; what is not allowed now is 403 and writes nothing', async () => {
  const own = await data(tenant, 'mutation { create_note(data: {owner: "u2", text: "x"}) { id } }', {}, OTHER);
  const { id } = own.create_note;
  const update = `mutation { update_note(id: "${id}", data: {text: "y"}) { text } }`;
  expect((await ask(tenant, update, {}, { principal: OTHER })).status).toBe(400);
  const hidden = await ask(tenant, update);
  expect(hidden.body.errors[0].extensions).toMatchObject({ code: 'v2.update_failed', status: 404 });
  const foreign = await ask(tenant, 'mutation { create_note(data: {owner: "u1"}) { id } }', {}, { principal: OTHER });
  expect(foreign.body.errors[0].extensions).toMatchObject({ code: 'v2.create_failed', status: 403 });
  const readonly = { ...USER, readonly: true };
  expect(
    (await ask(tenant, 'mutation { create_note(data: {owner: "u1"}) { id } }', {}, { principal: readonly })).status,
  ).toBe(400);
});

test('a mutation is not run by GET: 405, and a query is', async () => {
  const get = (query: string) =>
    tenant.send('GET', `/data/graphql?query=${encodeURIComponent(query)}`, undefined, { principal: USER });
  const refused = await get('mutation { create_country(data: {id: "NO", name: "Norway"}) { id } }');
  expect(refused).toMatchObject({ status: 405, headers: { Allow: 'POST' } });
  expect(await total('country')).toBe(0);
  expect((await get('{ country { total } }')).body).toEqual({ data: { country: { total: 0 } } });
});

test('required fields are required by the schema, and keys that the service gives are not', async () => {
  const { body } = await ask(tenant, 'mutation { create_country(data: {name: "x"}) { id } }');
  expect(body.errors[0].message).toContain('id');
  const missing = await ask(tenant, 'mutation { create_city(data: {}) { id } }');
  expect(missing.status).toBe(400);
});
