/** Which answers may leave compressed, by their heads. */
import { expect, test } from 'vitest';
import { gains } from '#runtime/door/compress/gains.ts';

const JSON_TYPE = 'Content-Type: application/json; charset=utf-8\n';

test.each([
  'application/json; charset=utf-8',
  'application/problem+json',
  'application/graphql-response+json',
  'text/csv; charset=utf-8',
  'application/x-ndjson',
  'image/svg+xml',
  'Text/HTML',
])('%s is text', (type) => {
  expect(gains(200, `Content-Type: ${type}\n`)).toBe(true);
});

test.each(['image/png', 'application/octet-stream', 'application/pdf', 'text/event-stream', 'application/jsonx', ''])(
  '%j is not',
  (type) => {
    expect(gains(200, `Content-Type: ${type}\n`)).toBe(false);
  },
);

test.each([200, 201, 207])('%d may', (status) => {
  expect(gains(status, JSON_TYPE)).toBe(true);
});

test.each([100, 204, 206, 301, 304, 400, 404, 500])('%d may not', (status) => {
  expect(gains(status, JSON_TYPE)).toBe(false);
});

test.each([
  'ETag: "5"',
  'etag: "5"',
  'Content-Encoding: gzip',
  'Content-Range: bytes 0-1/2',
  'Set-Cookie: a=b',
  'Cache-Control: no-store',
  'cache-control: private, no-store, max-age=0',
  'Cache-Control: no-transform',
])('an answer with %s stays as it is', (line) => {
  expect(gains(200, `${JSON_TYPE}${line}\n`)).toBe(false);
  expect(gains(200, `${line}\n${JSON_TYPE}`)).toBe(false);
});

test.each(['ETag: W/"5"', 'Cache-Control: private, no-cache', 'X-Note: etag: "5"', 'Link: <no-store>; rel="next"'])(
  'one with %s does not',
  (line) => {
    expect(gains(200, `${JSON_TYPE}${line}\n`)).toBe(true);
  },
);
