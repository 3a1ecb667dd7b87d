/** Malformed and adversarial requests for every operation of an OpenAPI document. */
import { fc } from './property.ts';

export interface Operation {
  readonly method: string;
  /** With `{name}` for its parameters. */
  readonly path: string;
  readonly statuses: readonly number[];
}

export interface HostileRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  /** The request's credential: a bearer of the tenant, an API key, or what its own headers say. */
  readonly who: 'bearer' | 'key' | 'anonymous';
  readonly placed: boolean;
  /** `Name: value` lines, as they go out. */
  readonly headers: readonly string[];
  readonly body: Buffer | null;
  readonly chunked: boolean;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
}

/** Every operation of a document. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path,
      statuses: Object.keys(responses).map(Number),
    })),
  );
}

/** A request as bytes; the body's length is true, so that what is hostile is what it says and not where it ends. */
export function bytesOf(request: HostileRequest, credential: readonly string[], position: readonly string[]): Buffer {
  const lines = [`${request.method} ${request.path} HTTP/1.1`, 'Host: fuzz.test', ...credential];
  if (request.placed) lines.push(...position);
  lines.push(...request.headers);
  const { body } = request;
  if (body !== null) lines.push(request.chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (body === null) return head;
  return request.chunked ? Buffer.concat([head, ...chunksOf(body)]) : Buffer.concat([head, body]);
}

function chunksOf(body: Buffer): Buffer[] {
  const half = Math.ceil(body.length / 2);
  const pieces = [body.subarray(0, half), body.subarray(half)].filter((piece) => piece.length > 0);
  const framed = pieces.flatMap((piece) => [
    Buffer.from(`${piece.length.toString(16)}\r\n`),
    piece,
    Buffer.from('\r\n'),
  ]);
  return [...framed, Buffer.from('0\r\n\r\n')];
}

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'name', 'id', 'price'];

const SEGMENTS = [
  'item',
  'category',
  'hidden',
  'contact',
  'api_key',
  'user',
  'id',
  ...NAMES,
  '%2e%2e',
  '..',
  '.',
  '%2f',
  '%00',
  '%0d%0aX: y',
  '%ff',
  '%',
  '%zz',
  '%F0%9F%90%9D',
  '\u00e4',
  '{id}',
  '*',
  '-1',
  "'--",
  'a'.repeat(3000),
];

const VALUES = [
  '',
  '0',
  '-1',
  '1e400',
  '999999999999999999999999',
  '0x10',
  'NaN',
  'null',
  'true',
  '[]',
  '%00',
  '%ff',
  '%',
  '\'"<>'.replaceAll('"', '%22').replaceAll('<', '%3C').replaceAll('>', '%3E'),
  'a'.repeat(2000),
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '-name',
  'name.desc',
];

const PARAMETERS = [
  ...NAMES,
  'limit',
  'offset',
  'order',
  'fields',
  'include',
  'depth',
  'cursor',
  'stats',
  'groupby',
  'having',
  'version',
  'expression',
  'audience',
  'name[gt]',
  'price[between]',
  'token[__proto__]',
  '%ff',
  '',
];

const HEADERS = [
  'Authorization: Bearer',
  'Authorization: Bearer v4.public.AAAA.BBBB',
  'Authorization: ApiKey .',
  'authorization: apikey x.y',
  'AUTHORIZATION: Basic YTpi',
  `Authorization: Bearer ${'A'.repeat(8000)}`,
  'X-Api-Key: shop-static-secret',
  'X-Api-Key: \u00ff',
  'X-Customer: acme',
  'x-tenant: MAIN',
  'X-Tenant: superadmin',
  'X-Env: \u00e4',
  'X-Product: a:b',
  'Content-Type: application/json',
  'Content-Type: text/plain',
  'Content-Type: multipart/form-data',
  'Content-Type: application/json; charset=utf-16',
  'content-type: application/x-www-form-urlencoded',
  'Content-Encoding: gzip',
  'Content-Length: 0',
  'Content-Length: -1',
  'Transfer-Encoding: gzip',
  'Host: another.test',
  'Expect: 100-continue',
  'Accept: application/problem+json',
  'Idempotency-Key: \u00e4',
  `Idempotency-Key: ${'k'.repeat(300)}`,
  'If-Match: "x"',
  `X-Request-Id: ${'r'.repeat(200)}`,
  `X-Long: ${'x'.repeat(8192)}`,
  `X-Longer: ${'x'.repeat(20_000)}`,
  ': no name',
];

/**
 * Lines that no field can have (RFC 9112 §5). node:http answers 400; uWebSockets.js takes the head for unfinished and closes the
 * connection when it has been idle for too long. Neither lets the request in.
 */
export const BROKEN_LINES = [
  'Sp ace: x',
  'Name : x',
  'No colon here',
  ' folded: line',
  'X\u00e4: 1',
  'X-Control: a\u0001b',
  'X-Nul: a\u0000b',
  'X-Request-Id: \u0001',
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'get', 'FOO'];

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    -1,
    '',
    ' ',
    'x'.repeat(5000),
    [],
    {},
  ),
  fc.constantFrom('\ud800', '\u0000', '2024-01-01', 'a@example.org', '\u202e', 'acme:dev:shop:main'),
  fc.jsonValue({ maxDepth: 3 }),
);

const fieldNames = fc.constantFrom(
  ...NAMES,
  'token',
  'stock',
  'category_id',
  'title',
  'email',
  'message',
  'website',
  'password',
  'service',
  'capabilities',
  'expires_in_days',
  'created_at',
  '_idempotency_key',
);

const hostileObject = fc
  .array(fc.tuple(fieldNames, hostileValue), { maxLength: 6 })
  .map((pairs) => `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`);

const FIXED_BODIES = [
  '',
  '{',
  '{"name":',
  '[1,2',
  '"',
  'nul',
  '[]',
  'null',
  '{"name":1e400}',
  '{"price":-0.0e-999}',
  '{"stock":99999999999999999999999999999}',
  '{"name":"a","name":"b"}',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"name":"\\ud800"}',
  '{"name":"\\u0000"}',
  '['.repeat(20_000),
  `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  `{"name":"${'n'.repeat(100_000)}"}`,
  'name=a&name=b&email=%ff',
  'name=Ada&email=ada%40example.org&__proto__=x',
];

const hostileBody: fc.Arbitrary<Buffer | null> = fc.oneof(
  { arbitrary: fc.constant(null), weight: 1 },
  { arbitrary: hostileObject.map((text) => Buffer.from(text)), weight: 4 },
  { arbitrary: fc.constantFrom(...FIXED_BODIES).map((text) => Buffer.from(text)), weight: 3 },
  { arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)), weight: 1 },
  {
    arbitrary: fc
      .tuple(hostileObject, fc.nat())
      .map(([text, at]) => Buffer.from(text).subarray(0, at % (text.length + 1))),
    weight: 1,
  },
);

/** Half of them lead somewhere. */
const segment = fc.oneof(fc.constantFrom('item', 'item', 'contact', 'category', 'tools'), fc.constantFrom(...SEGMENTS));
const query = fc
  .array(fc.tuple(fc.constantFrom(...PARAMETERS), fc.constantFrom(...VALUES)), { maxLength: 4 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`));

/** Hostile requests to the given operations. */
export function hostileRequests(operations: readonly Operation[]): fc.Arbitrary<HostileRequest> {
  return fc
    .record({
      operation: fc.constantFrom(...operations),
      other: fc.oneof(
        { arbitrary: fc.constant(null), weight: 6 },
        { arbitrary: fc.constantFrom(...METHODS), weight: 1 },
      ),
      segments: fc.tuple(segment, segment),
      query,
      who: fc.constantFrom('bearer', 'bearer', 'bearer', 'key', 'key', 'anonymous' as const),
      placed: fc.oneof({ arbitrary: fc.constant(true), weight: 6 }, { arbitrary: fc.constant(false), weight: 1 }),
      headers: fc.oneof(
        { arbitrary: fc.constant([]), weight: 2 },
        { arbitrary: fc.array(fc.constantFrom(...HEADERS), { maxLength: 3 }), weight: 2 },
      ),
      body: hostileBody,
      chunked: fc.boolean(),
    })
    .map(({ operation, other, segments, query, ...rest }) => {
      let next = 0;
      const path = operation.path.replaceAll(/\{[a-z_]+\}/g, () => segments[next++]!);
      return {
        ...rest,
        who: rest.who,
        operation,
        method: other ?? operation.method,
        path: path + query,
      };
    });
}
