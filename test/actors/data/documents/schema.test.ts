/** docs/contract/data.md §8.1: `/data/schema` describes the entities as JSON, `/data/schema/entities[/{entity}]` list and one. */
import { beforeAll, describe, expect, test } from 'vitest';
import { entityDocument, entityList, schemaDocument } from '#actors/data/shapes.ts';
import { DataTenant, SUPERADMIN, USER, type Answer } from '#test/kit/data-call.ts';
import { atlas } from './product.ts';

const READER = { ...USER, subject: 'u2', roles: [] };
let tenant: DataTenant;
beforeAll(async () => {
  tenant = await DataTenant.open(atlas);
});

const get = (path: string, principal = USER, extra = ''): Promise<Answer> =>
  tenant.send('GET', `/data/schema${path}`, undefined, { principal, extra });
const names = (body: { entities: { name: string }[] }): string[] => body.entities.map(({ name }) => name);

describe('GET /data/schema/entities', () => {
  test('lists entities by name with what may ever be allowed', async () => {
    const { status, body } = await get('/entities');
    expect(status).toBe(200);
    entityList.parse(body);
    expect(names(body)).toEqual(['city', 'country', 'note', 'vault']);
    expect(body.count).toBe(4);
    expect(body.entities[0]).toEqual({
      name: 'city',
      primary_key: 'id',
      traits: ['soft_delete', 'versioned', 'timestamps'],
      operations: ['read', 'create', 'update', 'delete', 'purge', 'restore'],
    });
    expect(body.entities[2].operations).toEqual(['read', 'create', 'update', 'delete']);
  });

  test('an entity on which nothing may ever be allowed is not there', async () => {
    expect(names((await get('/entities', READER)).body)).toEqual(['city', 'country', 'note']);
    expect((await get('/entities', READER)).body.entities[2].operations).toEqual(['read', 'create']);
    expect(names((await get('/entities', SUPERADMIN)).body)).toContain('sealed');
  });
});

describe('GET /data/schema/entities/{entity}', () => {
  test('describes fields, relations and indexes', async () => {
    const { status, body } = await get('/entities/city');
    expect(status).toBe(200);
    entityDocument.parse(body);
    const field = (name: string) => body.fields.find((one: { name: string }) => one.name === name);
    expect(field('name')).toEqual({
      name: 'name',
      type: 'string',
      required: true,
      nullable: false,
      read_only: false,
      min_length: 1,
      max_length: 20,
      pattern: '^[A-Za-z0-9 ]+$',
    });
    expect(field('population')).toMatchObject({ type: 'integer', default: 0, min: 0 });
    expect(field('country_id')).toMatchObject({ type: 'ref', ref: { entity: 'country', on_delete: 'restrict' } });
    expect(field('version')).toMatchObject({ read_only: true });
    expect(body.relations).toEqual([
      { name: 'country', kind: 'one', entity: 'country', field: 'country_id' },
      { name: 'twin', kind: 'one', entity: 'city', field: 'twin' },
      { name: 'country_by_capital', kind: 'many', entity: 'country', field: 'capital_id' },
      { name: 'city_by_twin', kind: 'many', entity: 'city', field: 'twin' },
      { name: 'note_by_city', kind: 'many', entity: 'note', field: 'city_id' },
      { name: 'vault_by_city', kind: 'many', entity: 'vault', field: 'city_id' },
    ]);
    expect(body.index).toContainEqual(['country_id', 'population']);
  });

  test('says nothing of entities that the caller may not read, and shows no rule', async () => {
    const { body } = await get('/entities/city', READER);
    expect(JSON.stringify(body)).not.toContain('vault');
    expect(JSON.stringify((await get('', SUPERADMIN)).body)).not.toMatch(/principal|cel/);
  });

  test.each(['nothing', 'sealed', 'vault', '__proto__', 'constructor'])('404 v2.entity_not_found: %s', async (name) => {
    const { status, body } = await get(`/entities/${name}`, READER);
    expect(status).toBe(404);
    expect(body.code).toBe('v2.entity_not_found');
  });

  test('400 v2.bad_path without a name', async () => {
    expect((await get('/entities/')).body.code).toBe('v2.bad_path');
  });
});

describe('GET /data/schema', () => {
  test('holds every entity as its own route shows it', async () => {
    const { status, body } = await get('');
    expect(status).toBe(200);
    schemaDocument.parse(body);
    expect(body).toMatchObject({ product: 'atlas', count: 4 });
    for (const entity of body.entities) expect(entity).toEqual((await get(`/entities/${entity.name}`)).body);
  });
});

describe('entity tags', () => {
  test.each(['', '/entities', '/entities/city', '/openapi.json', '/graphql'])(
    '304 for a known tag: %s',
    async (path) => {
      const first = await get(path);
      const tag = first.headers['ETag']!;
      expect(first.headers).toMatchObject({
        'Cache-Control': 'private, no-cache',
        Vary: 'Authorization, X-Customer, X-Product, X-Env, X-Tenant',
      });
      for (const sent of [tag, `"other", W/${tag}`, '*']) {
        const again = await get(path, USER, `if-none-match:${sent}\n`);
        expect(again.status, sent).toBe(304);
        expect(again.headers['ETag']).toBe(tag);
      }
      expect((await get(path, USER, 'if-none-match:"other"\n')).status).toBe(200);
    },
  );

  test('callers that see different things have different tags', async () => {
    expect((await get('')).headers['ETag']).not.toBe((await get('', READER)).headers['ETag']);
    expect((await get('')).headers['ETag']).toBe((await get('', { ...USER, subject: 'u3' })).headers['ETag']);
  });
});
