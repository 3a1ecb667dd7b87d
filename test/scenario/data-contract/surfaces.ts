/** docs/contract/data.md §3, who may come in and by which door: the mirror, the probes, documents, GraphQL, credentials. */
import { expect } from 'vitest';
import type { Depot } from '#test/kit/depot.ts';
import type { Headers } from '#test/kit/test-node.ts';
import type { Proofs } from './rows.ts';

const UNKNOWN = '01J0000000000000000000000A';
const STATIC = { 'X-Api-Key': 'depot-static-secret' };

/** Every route that a bearer token opens, as it is asked. */
const ROUTES: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', 'rest/box'],
  ['GET', `rest/box/id/${UNKNOWN}`],
  ['POST', 'rest/box', {}],
  ['PUT', 'rest/box', {}],
  ['PATCH', 'rest/box', {}],
  ['PUT', `rest/box/id/${UNKNOWN}`, {}],
  ['PATCH', `rest/box/id/${UNKNOWN}`, {}],
  ['DELETE', `rest/box/id/${UNKNOWN}`],
  ['POST', `rest/box/id/${UNKNOWN}/restore`],
  ['POST', 'rest/box/search', {}],
  ['POST', 'rest', {}],
  ['PUT', 'rest', {}],
  ['PATCH', 'rest', {}],
  ['DELETE', 'rest', {}],
  ['POST', 'bulk?entity=box', '[]'],
  ['PATCH', 'bulk?entity=box'],
  ['GET', 'schema'],
  ['GET', 'schema/entities'],
  ['GET', 'schema/entities/box'],
  ['GET', 'schema/graphql'],
  ['GET', 'schema/openapi.json'],
  ['POST', 'graphql', { query: '{ __typename }' }],
  ['GET', 'graphql?query=%7B__typename%7D'],
];
const OPENED_BY_KEY: ReadonlySet<string> = new Set(['GET rest/box', 'PATCH rest', 'PATCH bulk?entity=box']);

type Tables = 'Anonymous mirror' | 'Health and ready' | 'Schema documents' | 'GraphQL' | 'Authentication';

export function surfaces(depot: () => Depot): { readonly [T in Tables]: Proofs<T> } {
  const anonymous = (): Headers => depot().node.position();
  const mirror = (method: string, path: string, body?: unknown) =>
    depot().send(method, `anon/rest${path}`, body, anonymous());
  const documents = (title: string) => ({ file: 'test/actors/data/documents/schema.test.ts', title });
  const write = (title: string) => ({ file: 'test/scenario/data-write.test.ts', title });
  const answers = async (headers: Headers, wanted: (route: string) => boolean): Promise<void> => {
    for (const [method, path, body] of ROUTES) {
      const { status, text } = await depot().send(method, path, body, headers);
      const route = `${method} ${path}`;
      expect([route, status === 401]).toEqual([route, wanted(route)]);
      if (wanted(route)) expect(text).toBe('Unauthorized');
    }
  };
  const sketch = async (headers: Headers, at: string): Promise<[number, string]> => {
    const form = new FormData();
    form.set('name', 'drawn');
    form.set('image', new File(['<svg/>'], 'a.svg', { type: 'image/svg+xml' }));
    const { 'Content-Type': _, ...others } = headers;
    const made = await fetch(`${depot().node.gateway}/data/${at}/sketch`, {
      method: 'POST',
      headers: others,
      body: form,
    });
    const { data } = (await made.json()) as { data: { id: string }[] };
    return [made.status, data[0]!.id];
  };
  return {
    'Anonymous mirror': {
      'GET list': async () => expect((await mirror('GET', '/box?limit=1')).status).toBe(200),
      'GET one row': async () => {
        const id = await depot().box({ name: 'seen' });
        expect((await mirror('GET', `/box/id/${id}?select=name`)).json.data).toEqual([{ name: 'seen' }]);
      },
      'GET a file': async () => {
        const [, id] = await sketch(depot().bearer, 'rest');
        const answer = await mirror('GET', `/sketch/id/${id}?download=true&field=image`);
        expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
          200,
          '<svg/>',
          'image/svg+xml',
        ]);
        expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a.svg"');
        expect((await mirror('GET', `/sketch/id/${id}?download=true&field=name`)).json.code).toBe('v2.field_not_file');
      },
      'POST create, JSON and multipart': async () => {
        expect((await mirror('POST', '/box', { name: 'x' })).status).toBe(201);
        expect((await sketch(anonymous(), 'anon/rest'))[0]).toBe(201);
      },
      'PUT, PATCH key in the body and in the path': async () => {
        const id = await depot().box();
        for (const [method, path, body] of [
          ['PUT', '/box', { id, count: 2 }],
          ['PATCH', '/box', { id, count: 3 }],
          ['PUT', `/box/id/${id}`, { count: 4 }],
          ['PATCH', `/box/id/${id}`, { count: 5 }],
        ] as const)
          expect((await mirror(method, path, body)).json.data[0]!['count']).toBe(body.count);
      },
      DELETE: async () => expect((await mirror('DELETE', `/box/id/${await depot().box()}`)).status).toBe(200),
      'POST search': async () => {
        await depot().box({ name: 'sought' });
        const found = await mirror('POST', '/box/search?select=name', { filter: { name: 'sought' } });
        expect([found.status, found.json.data]).toEqual([200, [{ name: 'sought' }]]);
        expect((await mirror('POST', '/box/search', { query: 'x' })).json.code).toBe('v2.search_text_not_supported');
        expect((await mirror('POST', '/vaulted/search', {})).json.code).toBe('v2.search_query_failed');
      },
      'the operations envelope by its four verbs': async () => {
        for (const [method, data] of [
          ['POST', { name: 'x' }],
          ['PUT', { id: await depot().box(), count: 2 }],
          ['PATCH', { id: await depot().box(), count: 2 }],
          ['DELETE', { id: await depot().box() }],
        ] as const)
          expect((await mirror(method, '', { operations: [{ data: { box: data } }] })).status, method).toBe(200);
      },
      'no restore, no action alias': async () => {
        for (const path of [`/box/id/${UNKNOWN}/restore`, '/box/action/x']) {
          const answer = await mirror('POST', path, {});
          expect([answer.status, answer.text]).toEqual([404, '']);
        }
      },
      'tenant headers are still required': async () => {
        const answer = await depot().send('GET', 'anon/rest/box', undefined, {});
        expect([answer.status, answer.json.error]).toEqual([400, 'invalid tenant']);
      },
      'rules apply to an unauthenticated principal': async () => {
        const id = await depot().box({ name: 'hidden' });
        expect((await mirror('GET', `/box/id/${id}`)).status).toBe(404);
        expect((await depot().send('GET', `rest/box/id/${id}`)).status).toBe(200);
        expect((await mirror('GET', '/vaulted')).json.code).toBe('v2.query_failed');
        // A token shown there is not looked at.
        expect((await depot().send('GET', `anon/rest/box/id/${id}`)).status).toBe(404);
      },
    },
    'Health and ready': {
      'health: 200 JSON with its keys, no headers or token': async () => {
        const { status, json } = await depot().send('GET', 'health', undefined, {});
        expect([status, json]).toMatchObject([
          200,
          { healthy: true, memstats: {}, NumGC: expect.any(Number), dependencies: expect.any(Object), version: '' },
        ]);
      },
      'health: 500 with the same body and healthy false': {
        file: 'test/actors/data/rest.test.ts',
        title: '500 with the same body while a dependency is down',
      },
      'ready: 200 ready:true': async () => {
        const { status, text, headers } = await depot().send('GET', 'ready', undefined, {});
        expect([status, text]).toEqual([200, 'ready:true']);
        expect(headers.get('content-type')).toMatch(/^text\/plain/);
      },
      'ready: 500 ready:false': {
        file: 'test/actors/data/rest.test.ts',
        title: '500 with the same body while a dependency is down',
      },
    },
    'Schema documents': {
      'GET /data/schema': documents('holds every entity as its own route shows it'),
      'GET /data/schema/entities': documents('lists entities by name with what may ever be allowed'),
      'GET /data/schema/entities/{entity}': documents('describes fields, relations and indexes'),
      'GET /data/schema/graphql: SDL': {
        file: 'test/actors/data/graphql/query.test.ts',
        title: 'SDL is of the same schema',
      },
      'GET /data/schema/openapi.json: OpenAPI 3': {
        file: 'test/actors/data/documents/openapi.test.ts',
        title: 'passes the linter with its recommended rules; a planted fault does not',
      },
      'retired routes answer a bare 404': async () => {
        for (const [method, path] of [
          ['GET', 'ramlschema'],
          ['GET', 'entities/list'],
          ['GET', 'entities/list/box'],
          ['GET', 'entities/references/box'],
          ['GET', 'hashes/list'],
          ['GET', 'entities/diff'],
          ['POST', 'entities/diff/sync'],
          ['POST', 'entities/diff/sync/box'],
          ['POST', 'entities/index/box'],
          ['POST', 'entities/validate'],
          ['GET', 'stateflows/order'],
        ] as const) {
          const { status, text, headers } = await depot().send(method, path, method === 'POST' ? {} : undefined);
          expect([path, status, text, headers.get('location'), headers.get('deprecation')]).toEqual([
            path,
            404,
            '',
            null,
            null,
          ]);
        }
      },
    },
    GraphQL: {
      'POST /data/graphql serves the same entities': {
        file: 'test/scenario/graphql.test.ts',
        title: 'what GraphQL writes REST reads, and the other way round',
      },
      'it follows GraphQL over HTTP': { file: 'test/scenario/graphql.test.ts', title: 'GraphQL over HTTP' },
      'depth and cost limits': { file: 'test/actors/data/graphql/abuse.test.ts', title: 'v2.graphql_too_complex' },
    },
    Authentication: {
      'a bearer token on every route of rows, documents and bulk': async () => {
        await answers(depot().bearer, () => false);
        await answers(anonymous(), () => true);
      },
      'the static key: GET list, PATCH envelope, PATCH bulk': async () =>
        answers({ ...anonymous(), ...STATIC }, (route) => !OPENED_BY_KEY.has(route)),
      'the static key on no other route': write(
        'the static key: GET of a list, PATCH of the envelope, and no other route',
      ),
      'no credential on the mirror and the probes': async () => {
        expect((await mirror('GET', '/box?limit=1')).status).toBe(200);
        for (const path of ['health', 'ready'])
          expect((await depot().send('GET', path, undefined, {})).status).toBe(200);
      },
      'an expired or invalid token: plain-text 401': async () =>
        answers({ ...anonymous(), Authorization: 'Bearer v4.public.AAAA' }, () => true),
      'an issued API key: plain 401': async () => {
        const headers = { ...anonymous(), Authorization: `ApiKey ${depot().node.apiKey}` };
        await answers(headers, () => true);
        expect((await depot().send('GET', 'anon/rest/box', undefined, headers)).text).toBe('Unauthorized');
      },
    },
  };
}
