/** Requests that are filled in by hand, without a page: what a document offers, what leaves, and the lines that do the same. */
import { describe, expect, test } from 'vitest';
import { clientLineOf, curlOf } from '#console/requests/lines.ts';
import { declaredIn, found, operationsIn } from '#console/requests/operations.ts';
import { BODY, bodyOf, requestOf } from '#console/requests/request.ts';
import type { ApiDocument } from '#console/requests/shapes.ts';

const DOCUMENT: ApiDocument = {
  paths: {
    '/data/x/report': { post: { summary: 'Call the endpoint report', 'x-writes': true } },
    '/data/x/{path}': { post: { summary: 'Call a scripted endpoint' } },
    '/data/rest/city': {
      get: {
        summary: 'List rows of city',
        parameters: [
          { $ref: '#/components/parameters/X-Tenant' } as never,
          { $ref: '#/components/parameters/far' } as never,
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
        ],
      },
      post: {
        summary: 'Create a row of city',
        requestBody: {
          content: {
            'application/json': {
              schema: { anyOf: [{ $ref: '#/components/schemas/city.create' }, { type: 'array' }] },
            },
          },
        },
      },
    },
    '/data/rest/city/search': { post: { summary: 'List rows by a filter' } },
    '/data/actions/rename': {
      put: { summary: 'Renames', 'x-writes': true },
      patch: {
        summary: 'Renames',
        'x-writes': true,
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['id'],
                properties: {
                  id: { type: 'string', 'x-type': 'string' },
                  at: { type: 'array', 'x-type': 'integer[]' },
                  much: { type: 'number', 'x-type': 'number' },
                  how: { 'x-type': 'json' },
                },
              },
            },
          },
        },
      },
    },
  },
  components: {
    parameters: {
      'X-Tenant': { name: 'X-Tenant', in: 'header', required: true },
      far: { name: 'far', in: 'query', schema: { type: 'object' } },
    },
    schemas: { 'city.create': { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
  },
};

const ALL = operationsIn(DOCUMENT);
const one = (id: string) => ALL.find((operation) => operation.id === id)!;

test('operations say what they take and whether they write; the position is the client’s', () => {
  expect(one('GET /data/rest/city').takes.map(({ name }) => name)).toEqual(['far', 'limit']);
  expect(ALL.filter(({ writes }) => writes).map(({ id }) => id)).toEqual([
    'PUT /data/actions/rename',
    'PATCH /data/actions/rename',
    'POST /data/rest/city',
    'POST /data/x/report',
    'POST /data/x/{path}',
  ]);
  expect(declaredIn(ALL).map(({ id }) => id)).toEqual(['PATCH /data/actions/rename', 'POST /data/x/report']);
  expect(found(ALL, 'city list').map(({ id }) => id)).toEqual(['GET /data/rest/city', 'POST /data/rest/city/search']);
  expect(JSON.parse(bodyOf(one('POST /data/rest/city')))).toEqual({ name: '' });
});

describe('what leaves', () => {
  test('values have their types, lists repeat in a query, an object has keys of its own', () => {
    const rename = one('PATCH /data/actions/rename');
    const texts = { id: '7', at: '[1, 2]', much: '1.5', how: '{"a":1}' };
    expect(requestOf(rename, { texts, body: '' })).toMatchObject({
      request: { body: { id: '7', at: [1, 2], much: 1.5, how: { a: 1 } } },
      unfilled: {},
    });
    const far = { far: '{"[country.name]":"Peru"}', limit: '3' };
    expect(requestOf(one('GET /data/rest/city'), { texts: far, body: '' }).request.query).toBe(
      '[country.name]=Peru&limit=3',
    );
  });

  test('what is missing or no JSON stands at its name, and a figure that would lose digits stays a text', () => {
    const rename = one('PATCH /data/actions/rename');
    const { unfilled } = requestOf(rename, { texts: { at: '[1' }, body: '' });
    expect([unfilled['id'], unfilled['at'] instanceof SyntaxError]).toEqual(['missing', true]);
    const { request } = requestOf(rename, { texts: { id: 'x', much: '9007199254740993' }, body: '' });
    expect(request.body).toEqual({ id: 'x', much: '9007199254740993' });
    expect(requestOf(one('POST /data/rest/city'), { texts: {}, body: '{' }).unfilled[BODY]).toBeInstanceOf(SyntaxError);
  });
});

test('lines for a shell and for a program, without a token', () => {
  const position = { 'X-Customer': 'acme' };
  const rename = requestOf(one('PATCH /data/actions/rename'), { texts: { id: "o'b" }, body: '' }).request;
  expect(curlOf(rename, 'http://127.0.0.1:8080', position)).toBe(
    [
      'curl -X PATCH http://127.0.0.1:8080/data/actions/rename',
      '-H "Authorization: Bearer $TOKEN"',
      "-H 'X-Customer: acme'",
      "-H 'Content-Type: application/json'",
      String.raw`--data '{"id":"o'\''b"}'`,
    ].join(' \\\n  '),
  );
  expect(clientLineOf(rename)).toBe(`await skep.action("rename", "update", {"id":"o'b"});`);
  const report = requestOf(one('POST /data/x/report'), { texts: {}, body: '' }).request;
  expect(clientLineOf(report)).toBe('await skep.endpoint("POST", "report");');
  const list = requestOf(one('GET /data/rest/city'), { texts: { limit: '1' }, body: '' }).request;
  expect(clientLineOf(list)).toBe(
    'await skep.transport.send({ method: "GET", path: "/data/rest/city", query: new URLSearchParams("limit=1") });',
  );
});
