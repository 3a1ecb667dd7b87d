/** Rows of docs/contract/data.md on creating a row, each as a caller meets it. */
import { describe, expect, test } from 'vitest';
import { useAtlas } from './atlas.ts';

const atlas = useAtlas();
const { get, post, patch } = atlas;

describe('create', () => {
  test('201 with the created row, a ULID, defaults, nulls, markers and an ETag', async () => {
    const { status, body, headers } = await post('city', { name: 'Lyon', area: '47.870' });
    expect(status).toBe(201);
    expect(headers['ETag']).toBe('"1"');
    expect(body).toEqual({
      data: [
        {
          id: expect.stringMatching(/^[0-9A-Z]{26}$/),
          name: 'Lyon',
          country_id: null,
          population: 0,
          area: '47.870',
          founded: null,
          capital: null,
          tags: null,
          created_at: '2026-01-01T00:00:00.000Z',
          updated_at: '2026-01-01T00:00:00.000Z',
          deleted_at: null,
          deleted_by: null,
          version: 1,
        },
      ],
      count: 1,
    });
  });

  test('422 v2.create_failed lists every fault under its field', async () => {
    const { status, body } = await post('city', { population: -1, founded: '2026-02-30', nope: 1, version: 9 });
    expect(status).toBe(422);
    expect(body.code).toBe('v2.create_failed');
    expect(body.details).toEqual({
      fields: {
        nope: ['is not a field'],
        version: ['is kept by the service'],
        name: ['is required'],
        population: ['must be at least 0'],
        founded: ['must be a calendar date YYYY-MM-DD'],
      },
    });
  });

  test('422 lists what other rows say beside what the row says by itself', async () => {
    await post('country', { id: '01J0000000000000000000000A', code: 'DE' });
    const twice = await post('country', { id: '01J0000000000000000000000A', code: 'FR', name: 7 });
    expect(twice.body.details.fields).toEqual({
      name: ['must be a string'],
      id: ['is taken by another row'],
      code: ['is taken by another row'],
    });
    const dangling = { population: -1, country_id: '01J0000000000000000000000B' };
    const fields = { population: ['must be at least 0'], country_id: ['refers to no row of country'] };
    expect((await post('city', { name: 'x', ...dangling })).body.details.fields).toEqual(fields);
    expect((await patch(`city/id/${atlas.city}`, dangling)).body.details.fields).toEqual(fields);
    const taken = await patch('country', { id: '01J0000000000000000000000A', code: 'FR', name: 7 });
    expect(taken.body.details.fields).toEqual({ name: ['must be a string'], code: ['is taken by another row'] });
  });

  test('an answer does not grow with what was sent', async () => {
    const long = 'x'.repeat(1_000_000);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, 1]));
    const answers = [
      await post('city', { name: 'x', [long]: 1 }),
      await post('city', { name: 'x', ...many }),
      await patch('city', { id: long, name: 'x' }),
      await patch(`city/id/${atlas.city}`, { id: long, name: 'x' }),
      await atlas.tenant.send('POST', '/data/rest', { operations: [{ data: { [long]: {} } }] }),
      await atlas.tenant.send('PATCH', `/data/bulk?entity=${long}`),
      await atlas.tenant.send('PATCH', `/data/bulk?entity=city&format=${long}`),
      ...(await Promise.all(
        [
          long,
          `${long}/id/x`,
          `city/id/${long}`,
          `city?datastore=${long}`,
          `city/id/x?download=true&field=${long}`,
        ].map((target) => get(target)),
      )),
      await post(long, {}),
      await post('city?datastore=' + long, { name: 'x' }),
      await patch(`${long}/id/x`, {}),
      await patch(`city/id/${long}`, { id: 'y' }),
      await atlas.tenant.send('DELETE', `/data/rest/${long}/id/x`),
      await atlas.tenant.send('POST', `/data/rest/${long}/id/x/restore`),
      await atlas.tenant.send('POST', `/data/rest/${long}/search`, {}),
    ];
    for (const { status, body } of answers) {
      expect([400, 404, 422]).toContain(status);
      expect(JSON.stringify(body).length).toBeLessThan(10_000);
    }
  });

  test.each([
    ['', 'empty body'],
    ['{', 'JSON'],
    ['[]', 'object'],
    ['"x"', 'object'],
    ['null', 'object'],
    ['{"name":"a","name":"b"}', 'duplicate key'],
    ['{"__proto__":{"name":"a"}}', '__proto__'],
    [`{"tags":${'['.repeat(100)}${']'.repeat(100)}}`, 'nesting'],
    ['{"name":"\\ud800"}', 'surrogate'],
  ])('400 v2.bad_json for %s', async (body, reason) => {
    const answer = await post('city', body);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'v2.bad_json', error: expect.stringContaining(reason) },
    });
  });

  test.each([
    [{ name: 'x', constructor: 1 }, 'constructor'],
    [{ name: 'x', toString: 1 }, 'toString'],
    [{ name: 5 }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'x'.repeat(21) }, 'name'],
    [{ name: 'x', population: 2 ** 53 }, 'population'],
    [{ name: 'x', population: '9223372036854775808' }, 'population'],
    [{ name: 'x', population: 1.5 }, 'population'],
    [{ name: 'x', area: 'abc' }, 'area'],
    [{ name: 'x', capital: 'true' }, 'capital'],
    [{ name: 'x', country_id: 'nope' }, 'country_id'],
    [{ name: 'x', country_id: '01J0000000000000000000000A' }, 'country_id'],
    [{ id: 'x', name: 'x' }, 'id'],
    [{ id: null, name: 'x' }, 'id'],
  ])('422 for %j names %s and writes nothing', async (body, field) => {
    const before = (await get('city')).body.total;
    const answer = await post('city', body);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.details.fields)).toEqual([field]);
    expect((await get('city')).body.total).toBe(before);
  });

  test('a huge number in the body is refused, not stored as infinity', async () => {
    expect((await post('city', '{"name":"x","population":1e999}')).status).toBe(422);
  });

  test('422 names the field of a unique value that is taken; nulls do not collide', async () => {
    const answer = await post('country', { code: 'FR' });
    expect(answer).toMatchObject({ status: 422, body: { code: 'v2.create_failed' } });
    expect(answer.body.details.fields).toEqual({ code: ['is taken by another row'] });
  });

  test('a chosen key is kept, the same again is 422', async () => {
    const id = '01J0000000000000000000000A';
    expect((await post('country', { id: id.toLowerCase(), code: 'DE' })).body.data[0].id).toBe(id);
    const again = await post('country', { id, code: 'IT' });
    expect(again).toMatchObject({ status: 422, body: { details: { fields: { id: ['is taken by another row'] } } } });
  });

  test('integers beyond 2^53 travel as strings', async () => {
    const { body } = await post('city', { name: 'Big', population: '9007199254740993' });
    expect(body.data[0].population).toBe('9007199254740993');
    expect((await get('city?population=9007199254740993')).body.data[0].name).toBe('Big');
  });

  test('404 v2.entity_not_found', async () => {
    for (const name of ['nope', 'constructor', '__proto__'])
      expect(await post(name, {})).toMatchObject({ status: 404, body: { code: 'v2.entity_not_found' } });
  });
});
