/** What a request for a file gets, by what it has already: docs/contract/platform.md §3.6. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { answerFile, type FileWish } from '#runtime/web/answer-file.ts';

const SHA = 'ab'.repeat(32);
const ETAG = `"${'ab'.repeat(16)}"`;
const ask = (name: string, wish: Partial<FileWish> = {}, size = 100) =>
  answerFile(
    { name, at: 512, size, sha256: SHA },
    { ifNoneMatch: '', range: '', ifRange: '', accepted: null, ...wish },
  );
const header = (lines: string, name: string): string | undefined =>
  lines
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);

test.each([
  ['/index.html', 'text/html; charset=utf-8'],
  ['/a/app.js', 'text/javascript; charset=utf-8'],
  ['/a.mjs', 'text/javascript; charset=utf-8'],
  ['/A.CSS', 'text/css; charset=utf-8'],
  ['/logo.svg', 'image/svg+xml; charset=utf-8'],
  ['/x.wasm', 'application/wasm'],
  ['/fonts/a.woff2', 'font/woff2'],
  ['/install.sh', 'application/octet-stream'],
  ['/README', 'application/octet-stream'],
  ['/a.__proto__', 'application/octet-stream'],
  ['/html', 'application/octet-stream'],
])('%s is %s, and browsers must not guess', (name, type) => {
  const { status, lines } = ask(name);
  expect([status, header(lines, 'Content-Type'), header(lines, 'X-Content-Type-Options')]).toEqual([
    200,
    type,
    'nosniff',
  ]);
});

test('a page may be framed by its own site alone', () => {
  expect(header(ask('/index.html').lines, 'Content-Security-Policy')).toBe("frame-ancestors 'self'");
  expect(header(ask('/a.js').lines, 'Content-Security-Policy')).toBeUndefined();
});

describe('how long browsers keep it', () => {
  test.each([
    '/assets/index-BX1c2dE3.js',
    '/assets/index.4f2a9c31.css',
    '/assets/fonts/inter-5a8b9c0d1e2f.woff2',
    '/assets/a-b-C0_d-e1F.js',
  ])('%s never changes', (name) => {
    expect(header(ask(name).lines, 'Cache-Control')).toBe('public, max-age=31536000, immutable');
  });

  test.each([
    '/index.html',
    '/index-BX1c2dE3.js',
    '/assets/app.js',
    '/assets/my-component.js',
    '/assets/jquery-3.7.1.min.js',
    '/assets/logo-2x.png',
    '/assets/BX1c2dE3.js',
    '/static/assets/index-BX1c2dE3.js',
  ])('%s is asked for each time', (name) => {
    expect(header(ask(name).lines, 'Cache-Control')).toBe('no-cache');
  });
});

describe('what the browser has already', () => {
  test.each([ETAG, `W/${ETAG}`, `"x", ${ETAG}`, '*', ` ${ETAG} `])('If-None-Match: %s is 304', (ifNoneMatch) => {
    expect(ask('/a.js', { ifNoneMatch, range: 'bytes=0-1' })).toEqual({
      status: 304,
      lines: `ETag: ${ETAG}\nCache-Control: no-cache\n`,
      coding: null,
      part: null,
    });
  });

  test.each(['"x"', SHA, ETAG.slice(1), ','])('If-None-Match: %s is not', (ifNoneMatch) => {
    expect(ask('/a.js', { ifNoneMatch }).status).toBe(200);
  });
});

describe('a part', () => {
  test.each([
    ['bytes=0-9', 0, 10, 'bytes 0-9/100'],
    ['bytes=90-', 90, 100, 'bytes 90-99/100'],
    ['bytes=-5', 95, 100, 'bytes 95-99/100'],
    ['bytes=0-1000', 0, 100, 'bytes 0-99/100'],
  ])('%s', (range, from, to, content) => {
    const answer = ask('/a.mp4', { range });
    expect([answer.status, answer.part, header(answer.lines, 'Content-Range')]).toEqual([206, { from, to }, content]);
    expect(ask('/a.mp4', { range, ifRange: ETAG }).status).toBe(206);
    expect(ask('/a.mp4', { range, ifRange: '"other"' })).toMatchObject({ status: 200, part: { from: 0, to: 100 } });
  });

  test('outside of the file is 416', () => {
    const { status, lines, part } = ask('/a.mp4', { range: 'bytes=100-' });
    expect([status, header(lines, 'Content-Range'), part]).toEqual([416, 'bytes */100', null]);
  });

  test.each(['bytes=a-b', 'bytes=0-1,3-4', 'lines=0-1', 'bytes=9-1'])('%s is the whole file', (range) => {
    expect(ask('/a.mp4', { range })).toMatchObject({ status: 200, part: { from: 0, to: 100 } });
  });
});

describe('a site that compresses', () => {
  const MANY: number = limits.door.compressedBytesMin;
  const accepting = (name: string, accepted: string, wish: Partial<FileWish> = {}, size = MANY) =>
    ask(name, { accepted, ...wish }, size);

  test('gives text in the coding that its caller takes, under a tag of its own', () => {
    const { status, lines, coding, part } = accepting('/app.js', 'gzip, br');
    expect([status, coding, part]).toEqual([200, 'br', { from: 0, to: MANY }]);
    expect(header(lines, 'ETag')).toBe(`${ETAG.slice(0, -1)}-br"`);
    expect(header(lines, 'Content-Encoding')).toBe('br');
    expect(header(lines, 'Vary')).toBe('Accept-Encoding');
  });

  test('leaves pictures, short and very long files, and callers that take none of its codings alone', () => {
    for (const [name, size] of [
      ['/logo.png', MANY],
      ['/app.js', MANY - 1],
      ['/app.js', limits.web.compressedBytesMax + 1],
    ] as const) {
      const { coding, lines } = accepting(name, 'br', {}, size);
      expect([coding, header(lines, 'Vary'), header(lines, 'ETag')]).toEqual([null, undefined, ETAG]);
    }
    const { coding, lines } = accepting('/app.js', 'identity');
    expect([coding, header(lines, 'Vary'), header(lines, 'ETag')]).toEqual([null, 'Accept-Encoding', ETAG]);
    expect(header(accepting('/app.js', '').lines, 'Content-Encoding')).toBeUndefined();
  });

  test('knows the tag of each coding, and takes none for another', () => {
    const known = accepting('/app.js', 'br', { ifNoneMatch: `${ETAG.slice(0, -1)}-br"` });
    expect([known.status, header(known.lines, 'Vary'), header(known.lines, 'Content-Encoding')]).toEqual([
      304,
      'Accept-Encoding',
      undefined,
    ]);
    expect(accepting('/app.js', 'br', { ifNoneMatch: ETAG }).status).toBe(200);
    expect(accepting('/app.js', 'gzip', { ifNoneMatch: `${ETAG.slice(0, -1)}-br"` }).status).toBe(200);
  });

  test('gives parts of the plain bytes alone', () => {
    const part = accepting('/app.js', 'br', { range: 'bytes=0-7' });
    expect([part.status, part.coding, header(part.lines, 'ETag')]).toEqual([206, null, ETAG]);
    const mixed = accepting('/app.js', 'br', { range: 'bytes=0-7', ifRange: `${ETAG.slice(0, -1)}-br"` });
    expect([mixed.status, mixed.coding, mixed.part]).toEqual([200, null, { from: 0, to: MANY }]);
  });
});
