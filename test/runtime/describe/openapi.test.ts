import { expect, test } from 'vitest';
import { generatedFiles } from '#runtime/describe/files.ts';
import { openApi } from '#runtime/describe/openapi.ts';
import { bees, door } from './rows.ts';

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly { name?: string; in?: string; $ref?: string }[];
  readonly requestBody?: { content: Record<string, { schema: object }> };
  readonly responses: Record<
    string,
    { description: string; headers?: object; content?: Record<string, { schema: object }> }
  >;
}

const files = await generatedFiles([bees], door);
const api = JSON.parse(files.get('docs/openapi.json')!) as { paths: Record<string, Record<string, Operation>> };
const read = api.paths['/bees/{hive}/{path}']!['get']!;
const put = api.paths['/bees']!['put']!;

test('every method of a row is an operation, and each references only what is there', () => {
  expect(Object.entries(api.paths).map(([path, item]) => [path, Object.keys(item)])).toEqual([
    ['/bees/{hive}/{path}', ['get']],
    ['/bees', ['put', 'patch']],
  ]);
  expect(read.operationId).toBe('data.read');
  expect(put.operationId).toBe('data.write.put');
  const text = files.get('docs/openapi.json')!;
  for (const [, reference] of text.matchAll(/"\$ref": "#\/([^"]+)"/g))
    expect(
      reference!.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], JSON.parse(text)),
      reference,
    ).toBeDefined();
});

test('parameters are those of the path, the position and the headers that the handler reads', () => {
  expect(read.parameters.map(({ name, in: place, $ref }) => $ref ?? `${place} ${name}`)).toEqual([
    'path hive',
    'path path',
    '#/components/parameters/X-Customer',
    '#/components/parameters/X-Product',
    '#/components/parameters/X-Env',
    '#/components/parameters/X-Tenant',
    'header if-none-match',
  ]);
  expect(read.security).toEqual([{ bearer: [] }, { apiKey: [] }]);
});

test('answers are replies, refusals with their codes, and the door where the service has no code', () => {
  expect(Object.keys(read.responses)).toEqual(['200', '400', '401', '403', '404', '410', '429', '503']);
  expect(read.responses['404']!.content!['application/json']!.schema).toEqual({
    allOf: [
      { $ref: '#/components/schemas/Coded' },
      { type: 'object', properties: { code: { enum: ['b.missing', 'b.bad'] } } },
    ],
  });
  expect(read.responses['401']!.content).toEqual({ 'text/plain': { schema: { type: 'string' } } });
  expect(read.responses['410']!.description).toBe('`b.missing`: no such bee | hive\n\n`gone`: gone');
  expect(Object.keys(put.responses)).toEqual(['200', '204', '400', '401', '403', '408', '413', '429', '503', '507']);
  expect(put.responses['204']).toEqual({ description: 'Done.' });
  // Beside the quota's refusal.
  const { anyOf } = put.responses['429']!.content!['application/json']!.schema as { anyOf?: object[] };
  expect(anyOf).toContainEqual({ $ref: '#/components/schemas/RateLimited' });
  expect(Object.keys(put.responses['429']!.headers!)).toEqual([
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
  ]);
});

test('a request is described as it comes in, a reply as it goes out', () => {
  expect(put.requestBody!.content['application/json']!.schema).not.toHaveProperty('required');
  expect(put.responses['200']!.content!['application/json']!.schema).toMatchObject({ required: ['id'] });
});

test('routes of a listener of their own stand in a file of their own', () => {
  const own = JSON.parse(files.get('docs/openapi.data.json')!) as {
    servers: { url: string }[];
    paths: Record<string, Record<string, Operation>>;
  };
  expect(own.servers).toEqual([{ url: 'http://127.0.0.1:5031' }]);
  expect(Object.keys(own.paths)).toEqual(['/health']);
  expect(own.paths['/health']!['get']!.security).toEqual([]);
  expect(Object.keys(own.paths['/health']!['get']!.responses)).toEqual(['200', '503']);
});

test('two rows for the same request, and an unknown refusal, are errors', () => {
  const info = { title: '', version: '', server: '' };
  expect(() => openApi([bees, { ...bees, name: 'other' }], door, info)).toThrow(
    'GET /bees/{hive}/{path} is described twice',
  );
  expect(() => openApi([{ ...bees, refusals: {} }], door, info)).toThrow('refusal unauthorized is not declared');
});
