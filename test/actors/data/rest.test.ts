/** Rows of docs/contract/data.md on reading, changing and deleting rows, each as a caller meets it. */
import { describe, expect, test } from 'vitest';
import { DataTenant, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import { ATLAS, useAtlas } from './atlas.ts';

const atlas = useAtlas();
const { get, post, patch, del } = atlas;

async function addCities(count: number): Promise<void> {
  for (let i = 0; i < count; i++)
    expect((await post('city', { name: `c${i}`, country_id: atlas.country, population: i })).status).toBe(201);
}

describe('read one', () => {
  test('200 with one element and its version as ETag', async () => {
    const { status, body, headers } = await get(`city/id/${atlas.city.toLowerCase()}`);
    expect([status, body.count, body.data[0].name, headers['ETag']]).toEqual([200, 1, 'Paris', '"1"']);
    expect(body).not.toHaveProperty('total');
  });

  test.each(['01J0000000000000000000000A', 'nope', '%00', 'a'.repeat(3000)])(
    '404 v2.row_not_found for %s',
    async (id) => {
      expect(await get(`city/id/${id}`)).toMatchObject({ status: 404, body: { code: 'v2.row_not_found' } });
    },
  );

  test('404 v2.entity_not_found, 400 v2.bad_path', async () => {
    expect((await get('nope/id/x')).body.code).toBe('v2.entity_not_found');
    expect(await get('city/id/')).toMatchObject({ status: 400, body: { code: 'v2.bad_path' } });
    expect(await get('')).toMatchObject({ status: 400, body: { code: 'v2.bad_path' } });
  });

  test('projection and further predicates apply', async () => {
    expect((await get(`city/id/${atlas.city}?select=name`)).body.data).toEqual([{ name: 'Paris' }]);
    expect((await get(`city/id/${atlas.city}?name=Lyon`)).status).toBe(404);
  });
});

describe('list', () => {
  test('200 for zero rows, total from the kept counter', async () => {
    await del(`city/id/${atlas.city}`);
    expect((await get('city')).body).toEqual({ data: [], count: 0, total: 0 });
  });

  test('select wins over fields, limit over pagesize, offset over page, in any case', async () => {
    await addCities(5);
    const names = async (query: string) =>
      (await get(`city?${query}`)).body.data.map((row: { name: string }) => row.name).join(' ');
    const order = 'filter=country_id%3D' + atlas.country + '&orderby=population';
    expect(await names(`${order}&limit=2&pagesize=4`)).toBe('c0 c1');
    expect(await names(`${order}&pagesize=3`)).toBe('c0 c1 c2');
    expect(await names(`${order}&LIMIT=2&Page=2`)).toBe('c2 c3');
    expect(await names(`${order}&limit=2&page=2&offset=1`)).toBe('c1 c2');
    expect(await names(`order_by=-population&limit=2`)).toBe('Paris c4');
    expect(await names(`orderby=population desc, name asc&limit=1`)).toBe('Paris');
    expect(await names(`limit=0`)).toBe('');
    expect((await get('city?fields=id&select=name,population&limit=1&orderby=name')).body.data).toEqual([
      { name: 'Paris', population: 2_100_000 },
    ]);
  });

  test('predicates are equality, AND-ed, by filter= and by any other key', async () => {
    await addCities(4);
    expect((await get('city?name=c1')).body.count).toBe(1);
    expect((await get('city?name=c1&filter=population=1')).body.count).toBe(1);
    expect((await get('city?name=c1&filter=population=2')).body.count).toBe(0);
    expect((await get('city?filter=version=1')).body.count).toBe(5);
  });

  test.each([
    ['nope=1', 'nope'],
    ['filter=nope', 'nope'],
    ['population=many', 'population'],
    ['capital=yes', 'capital'],
    ['tags=x', 'tags'],
    ['population[above]=1', 'above'],
    ['population[like]=1', 'population[like]'],
    ['population[between]=1', 'population[between]'],
    ['population[in]=1,x', 'population[in]'],
    ['population[null]=maybe', 'population[null]'],
    ['tags[gt]=1', 'tags'],
    ['[gt]=1', 'field'],
    ['name[]=1', 'operator'],
    ['name[eq][eq]=1', 'field'],
    ['name[constructor]=1', 'operator'],
    ['orderby=nope', 'nope'],
    ['orderby=tags', 'order'],
    ['orderby=name sideways', 'orderby'],
    ['select=name,nope', 'nope'],
    ['limit=10001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=ten', 'limit'],
    ['offset=1e3', 'offset'],
    ['page=2', 'limit'],
    ['page=0&limit=1', 'page'],
    ['include=planet', 'planet'],
    ['include=country.city_by_country', 'depth'],
    ['include=country&depth=5', 'depth'],
    ['having=count[gt]=1', 'groupby'],
    ['groupby=tags', 'grouped'],
    ['groupby=nope', 'nope'],
    ['groupby=name&select=population', 'population'],
    ['groupby=name&select=sum(name)', 'sum'],
    ['groupby=name&include=country', 'include'],
    ['groupby=name&after=', 'cursor'],
    ['after=AAAA', 'after'],
    ['after=&offset=1', 'offset'],
    ['version=1', 'version'],
    ['datastore=other', 'other'],
    ['constructor=1', 'constructor'],
    [Array.from({ length: 101 }, () => 'name=x').join('&'), 'predicates'],
    ['offset=999999999&orderby=name', 'offset'],
  ])('422 v2.query_failed for %s names it', async (query, named) => {
    const { status, body } = await get(`city?${query}`);
    expect([status, body.code]).toEqual([422, 'v2.query_failed']);
    expect(body.error).toContain(named);
  });

  test('404 v2.entity_not_found', async () => {
    expect(await get('nope')).toMatchObject({ status: 404, body: { code: 'v2.entity_not_found' } });
  });

  test('stats, meta and allowed_actions under both spellings', async () => {
    const { body } = await get('city?name=Paris&stats=true&sendmeta=TRUE&allowedactions=true&limit=5');
    expect(Object.keys(body)).toEqual(['data', 'count', 'total', 'stats', 'meta', 'allowed_actions']);
    expect(body.stats).toEqual({
      sql: expect.stringMatching(
        /^SELECT "id", .* FROM "city" WHERE "name" = 'Paris' AND "deleted_at" IS NULL ORDER BY "id" LIMIT 5$/,
      ),
      duration_ms: 0,
      total_count: 1,
      include_sql: [],
      rows_affected: 0,
      plan: { access: 'table', sorted: false },
    });
    expect(body.meta.primary_key).toBe('id');
    expect(body.meta.fields[0]).toEqual({ name: 'id', type: 'ulid', required: true, nullable: false });
    expect(body.meta.fields[2]).toEqual({ name: 'country_id', type: 'ref', required: false, nullable: true });
    expect(body.allowed_actions).toEqual(['create', 'read', 'update', 'delete', 'purge', 'restore']);
  });
});

describe('update', () => {
  test('only fields present are written; the version rises; what changes nothing writes nothing', async () => {
    atlas.tenant.clock.advance(1000);
    const { body, headers } = await patch(`city/id/${atlas.city}`, { population: 5 });
    expect(body.data[0]).toMatchObject({ name: 'Paris', population: 5, version: 2 });
    expect(body.data[0].updated_at).toBe('2026-01-01T00:00:01.000Z');
    expect(headers['ETag']).toBe('"2"');
    expect((await patch(`city/id/${atlas.city}`, { population: 5 })).body.data[0].version).toBe(2);
    expect((await patch(`city/id/${atlas.city}`, body.data[0])).status).toBe(200);
  });

  test('PUT is the same partial update; the key may stand in the body', async () => {
    const put = await atlas.tenant.send('PUT', '/data/rest/city', { id: atlas.city, name: 'Lutetia' });
    expect(put.body.data[0]).toMatchObject({ id: atlas.city, name: 'Lutetia', population: 2_100_000 });
  });

  test('errors', async () => {
    const code = async (path: string, body: unknown) => {
      const answer = await patch(path, body);
      return [answer.status, answer.body.code];
    };
    expect(await code('city', '{')).toEqual([400, 'v2.bad_json']);
    expect(await code('city', { name: 'x' })).toEqual([400, 'v2.missing_id']);
    expect(await code('city', { id: null })).toEqual([400, 'v2.missing_id']);
    expect(await code(`city/id/${atlas.city}`, { id: atlas.country })).toEqual([422, 'v2.id_mismatch']);
    expect(await code(`city/id/${atlas.city}`, { id: atlas.city.toLowerCase(), name: 'x' })).toEqual([200, undefined]);
    expect(await code(`city/id/${atlas.country}`, { name: 'x' })).toEqual([404, 'v2.update_failed']);
    expect(await code('city', { id: { a: 1 }, name: 'x' })).toEqual([404, 'v2.update_failed']);
    expect(await code('nope/id/x', { name: 'x' })).toEqual([404, 'v2.update_failed']);
    expect(await code(`city/id/${atlas.city}`, { name: null, nope: 1 })).toEqual([422, 'v2.update_failed']);
    expect(await code(`city/id/${atlas.city}`, { version: 7 })).toEqual([422, 'v2.update_failed']);
  });

  test('a unique value that another row holds is refused, its own is not', async () => {
    const other = (await post('country', { code: 'DE' })).body.data[0].id;
    const taken = await patch(`country/id/${other}`, { code: 'FR' });
    expect(taken).toMatchObject({ status: 422, body: { code: 'v2.update_failed' } });
    expect((await patch(`country/id/${other}`, { code: 'DE', name: 'Germany' })).status).toBe(200);
    expect((await patch(`country/id/${other}`, { code: 'AT' })).status).toBe(200);
    expect((await post('country', { code: 'DE' })).status).toBe(201);
  });
});

describe('delete', () => {
  test('soft: the post-image with its markers, then hidden unless deleted=true', async () => {
    const { status, body } = await del(`city/id/${atlas.city}`);
    expect(status).toBe(200);
    expect(body.data[0]).toMatchObject({ deleted_at: '2026-01-01T00:00:00.000Z', deleted_by: 'u1', version: 2 });
    expect((await get(`city/id/${atlas.city}`)).status).toBe(404);
    expect((await get(`city/id/${atlas.city}?deleted=true`)).status).toBe(200);
    expect((await get('city')).body.total).toBe(0);
    expect((await get('city?deleted=true')).body).toMatchObject({ count: 1, total: 1 });
    expect(await del(`city/id/${atlas.city}`)).toMatchObject({ status: 404, body: { code: 'v2.delete_failed' } });
    expect((await patch(`city/id/${atlas.city}`, { name: 'x' })).status).toBe(404);
  });

  test('purge: the row as it last existed, then gone', async () => {
    const { body } = await del(`city/id/${atlas.city}?purge=true`);
    expect(body.data[0]).toMatchObject({ name: 'Paris', deleted_at: null, version: 1 });
    expect((await get(`city/id/${atlas.city}?deleted=true`)).status).toBe(404);
    expect((await get('city?deleted=true')).body.total).toBe(0);
  });

  test('physical without the trait; restrict refuses while rows refer to it', async () => {
    const held = await del(`country/id/${atlas.country}`);
    expect(held).toMatchObject({ status: 422, body: { code: 'v2.delete_failed', details: { entity: 'city' } } });
    await del(`city/id/${atlas.city}?purge=true`);
    expect((await del(`country/id/${atlas.country}`)).body.data[0].code).toBe('FR');
    expect((await get('country')).body.total).toBe(0);
  });
});

describe('who may', () => {
  test('no rule means deny, except to superadmin', async () => {
    expect(await get('secret')).toMatchObject({ status: 403, body: { code: 'v2.query_failed' } });
    expect(await post('secret', { text: 'x' })).toMatchObject({ status: 403, body: { code: 'v2.create_failed' } });
    expect(await patch('secret/id/x', {})).toMatchObject({ status: 403, body: { code: 'v2.update_failed' } });
    expect(await del('secret/id/x')).toMatchObject({ status: 403, body: { code: 'v2.delete_failed' } });
    const made = await atlas.tenant.send('POST', '/data/rest/secret', { text: 'x' }, { principal: SUPERADMIN });
    expect(made.status).toBe(201);
    expect((await atlas.tenant.send('GET', '/data/rest/secret', undefined, { principal: SUPERADMIN })).body.count).toBe(
      1,
    );
  });

  test('403 comes before 422', async () => {
    expect((await get('secret?nope=1')).status).toBe(403);
  });

  test.each([
    ['no credential', {}],
    ['an API key', { authorization: 'ApiKey abc.def' }],
    ['a bad token', { authorization: 'Bearer v4.public.nope' }],
    ['a wrong static key', { extra: 'x-api-key:wrong\n' }],
  ])('plain 401 for %s', async (_, request) => {
    const answer = await atlas.tenant.send('GET', '/data/rest/city', undefined, request);
    expect(answer).toMatchObject({ status: 401, body: 'Unauthorized' });
  });

  test('the static key reads lists and nothing else', async () => {
    const key = { extra: 'x-api-key:sesame\n' };
    expect((await atlas.tenant.send('GET', '/data/rest/city', undefined, key)).status).toBe(200);
    expect((await atlas.tenant.send('GET', `/data/rest/city/id/${atlas.city}`, undefined, key)).status).toBe(401);
    expect((await atlas.tenant.send('POST', '/data/rest/city', { name: 'x' }, key)).status).toBe(401);
  });

  test('the position’s own token is asked about at the position', async () => {
    const { dataService } = await import('#actors/data/service.ts');
    const seen: string[] = [];
    const check = (authorization: string, position: { key: string }) => {
      seen.push(`${authorization} ${position.key}`);
      return authorization === 'Bearer good' ? USER : null;
    };
    const guarded = await DataTenant.open(ATLAS, { service: dataService({ bearers: () => ({ check }) }) });
    expect((await guarded.send('GET', '/data/rest/city', undefined, { authorization: 'Bearer good' })).status).toBe(
      200,
    );
    expect((await guarded.send('GET', '/data/rest/city', undefined, { authorization: 'Bearer x' })).status).toBe(401);
    expect(seen).toEqual(['Bearer good acme:atlas:dev:main', 'Bearer x acme:atlas:dev:main']);
  });
});

describe('probes', () => {
  test('health and ready', async () => {
    const health = await atlas.tenant.send('GET', '/data/health');
    expect(health.status).toBe(200);
    expect(health.body).toMatchObject({ healthy: true, version: '', dependencies: {} });
    expect(health.body.memstats.rss).toBeGreaterThan(1);
    expect(await atlas.tenant.send('GET', '/data/ready')).toMatchObject({ status: 200, body: 'ready:true' });
  });

  test('500 with the same body while a dependency is down', async () => {
    const { dataService } = await import('#actors/data/service.ts');
    const dependencies = () => ({ store: { State: false, Message: 'gone' } });
    const down = await DataTenant.open(ATLAS, { service: dataService({ dependencies }) });
    const health = await down.send('GET', '/data/health');
    expect(health).toMatchObject({ status: 500, body: { healthy: false, dependencies: dependencies() } });
    expect(await down.send('GET', '/data/ready')).toMatchObject({ status: 500, body: 'ready:false' });
  });
});
