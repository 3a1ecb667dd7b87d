/** Pages of a product at its site over HTTP to a real node, on both servers of the door. It proves docs/contract/platform.md §3.6. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { askSite } from '#test/kit/site-call.ts';
import { startTestNode, untilWhole, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { Wire } from '#test/runtime/door/wire.ts';

const HOST = 'notes.example';
const PRODUCT = fileURLToPath(new URL('../kit/products/pages', import.meta.url));
const PAGE = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const SCRIPT = '/assets/notes-4f2a9c31.js';

describe.each(['uws', 'node'] as const)('pages of a site, on the %s door', (door) => {
  let it: TestNode;
  let checkout: string;
  beforeAll(async () => {
    checkout = mkdtempSync(join(tmpdir(), 'skep-pages-'));
    cpSync(PRODUCT, checkout, { recursive: true });
    writeFileSync(join(checkout, 'web', 'docs', 'long.html'), `<p>${'A long page of text. '.repeat(200)}</p>`);
    process.env['SKEP_DOOR'] = door;
    const sites = `{ ${HOST}: { tenant: "${TENANT}", web: true }, other.example: { tenant: "${OTHER_TENANT}", web: true }, small.example: { tenant: "${TENANT}", web: true, compressed: true }, bare.example: { tenant: "${TENANT}" } }`;
    it = await startTestNode({ localdir: checkout, sites });
    delete process.env['SKEP_DOOR'];
  });
  afterAll(async () => {
    await it.stop();
    rmSync(checkout, { recursive: true, force: true });
  });
  const get = (path: string, headers: Headers = {}, host = HOST, method = 'GET') =>
    askSite(it.gateway, host, method, path, headers);
  const INDEX = '<title>Notes</title>';

  test('files are served by their name, with type, tag and how long they last', async () => {
    const page = await get('/');
    expect([page.status, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(page.body).toContain(INDEX);
    expect(page.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "frame-ancestors 'self'",
      'content-length': String(Buffer.byteLength(page.body)),
    });
    const script = await get(SCRIPT);
    expect([script.status, script.body]).toEqual([200, "document.title = 'Notes, loaded';\n"]);
    expect(script.headers['cache-control']).toContain('immutable');
    expect((await get('/docs/')).body).toContain('Documents');
    expect((await get('/docs/index.html?x=1')).body).toContain('Documents');
  });

  test('text is compressed where the site says so, once, under another tag; parts are of the plain bytes', async () => {
    const wire = await Wire.open(Number(new URL(it.gateway).port));
    const ask = async (host: string, more: string, method = 'GET') => {
      wire.send(`${method} /docs/long.html HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`);
      return (await wire.answer(method))!;
    };
    const BR = 'Accept-Encoding: br, gzip\r\n';
    const plain = await ask('small.example', '');
    expect([plain.status, plain.headers['content-encoding'], plain.headers['etag']]).toEqual([
      200,
      undefined,
      (await ask(HOST, BR)).headers['etag'],
    ]);
    expect((await ask(HOST, BR)).headers['content-encoding']).toBeUndefined();
    for (let round = 0; round < 2; round++) {
      const small = await ask('small.example', BR);
      expect([small.headers['content-encoding'], small.headers['vary']]).toEqual(['br', 'Accept-Encoding']);
      expect(brotliDecompressSync(small.body).equals(plain.body)).toBe(true);
      const head = await ask('small.example', BR, 'HEAD');
      expect(head.headers['content-length']).toBe(String(small.body.length));
      const tag = small.headers['etag']!;
      expect(tag).not.toBe(plain.headers['etag']);
      expect((await ask('small.example', `${BR}If-None-Match: ${tag}\r\n`)).status).toBe(304);
      const part = await ask('small.example', `${BR}Range: bytes=5-9\r\n`);
      expect([part.status, part.body.equals(plain.body.subarray(5, 10))]).toEqual([206, true]);
    }
    wire.end();
  });

  test('HEAD has the same head; a tag that is known is 304; a range is a part', async () => {
    const whole = await get(SCRIPT);
    const head = await get(SCRIPT, {}, HOST, 'HEAD');
    expect([head.status, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      whole.headers['content-length'],
    ]);
    const known = await get(SCRIPT, { 'If-None-Match': whole.headers.etag! });
    expect([known.status, known.body, known.headers.etag]).toEqual([304, '', whole.headers.etag]);
    const part = await get(SCRIPT, { Range: 'bytes=0-7' });
    expect([part.status, part.body]).toEqual([206, 'document']);
    expect((await get(SCRIPT, { Range: 'bytes=9999-' })).status).toBe(416);
  });

  test('a page that is no file is the front end’s; another file that is missing is 404', async () => {
    const page = await get('/notes/7', PAGE);
    expect([page.status, page.body.includes(INDEX)]).toEqual([200, true]);
    for (const path of [
      '/notes/7',
      '/assets/none.js',
      '/favicon.ico',
      '/.hidden',
      '/web/index.html',
      '/product.yaml',
      '/index',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    expect((await get('/notes/7', PAGE, HOST, 'POST')).status).toBe(404);
  });

  test('never below the paths of services and probes', async () => {
    for (const path of [
      '/data/none',
      '/data',
      '/auth/none',
      '/superadmin',
      '/internal/x',
      '/bff',
      '/content',
      '/store/x',
      '/audit/x',
      '/f',
      '/.well-known/x',
      '/%64ata/none',
      '/data%2fnone',
    ]) {
      const got = await get(path, PAGE);
      expect([path, got.body.includes('<title>')]).toEqual([path, false]);
      expect(got.status).toBeGreaterThanOrEqual(400);
    }
    expect((await get('/health', PAGE)).json).toMatchObject({ healthy: true });
  });

  test('at no other host, and at a site without them, everything is a bare 404', async () => {
    for (const host of ['localhost', 'bare.example', 'evil.example', `${HOST}.evil`]) {
      const got = await get('/', PAGE, host);
      expect([host, got.status, got.body]).toEqual([host, 404, '']);
    }
    expect((await get('/', PAGE, 'other.example')).status).toBe(200);
  });

  test('a path never leads elsewhere: it is a name in a map', async () => {
    for (const path of [
      '/../product.yaml',
      '/..%2f..%2fproduct.yaml',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/assets/../../product.yaml',
      '/assets/..%5c..%5cproduct.yaml',
      '//etc/passwd',
      '/index.html%00.js',
      '/%ff%fe',
      '/__proto__',
      '/constructor',
      '/docs/%2e/index.html',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  test('what lies on disk is served once it is provisioned, and not before', async () => {
    writeFileSync(join(checkout, 'web/new.txt'), 'new\n');
    expect((await get('/new.txt')).status).toBe(404);
    await it.node.provision(TENANT);
    await vi.waitFor(async () => expect((await get('/new.txt')).body).toBe('new\n'), { timeout: 10_000 });
    writeFileSync(join(checkout, 'web/new.txt'), 'edited\n');
    rmSync(join(checkout, 'web/docs'), { recursive: true });
    expect([(await get('/new.txt')).body, (await get('/docs/')).status]).toEqual(['new\n', 200]);
    // Its neighbour of the same product still serves the revision of before.
    expect((await get('/new.txt', {}, 'other.example')).status).toBe(404);
  });

  test('a folder with a fault is not provisioned, and what was served stays', async () => {
    symlinkSync('/etc/passwd', join(checkout, 'web/passwd'));
    await expect(it.node.provision(TENANT)).rejects.toThrow('links are not served');
    rmSync(join(checkout, 'web/passwd'));
    mkdirSync(join(checkout, 'web/data'));
    writeFileSync(join(checkout, 'web/data/x.json'), '{}');
    await expect(it.node.provision(TENANT)).rejects.toThrow('/data belong to a service');
    rmSync(join(checkout, 'web/data'), { recursive: true });
    expect((await get('/')).status).toBe(200);
  });

  test('a host that dies does not take the pages along', async () => {
    expect((await get('/')).status).toBe(200);
    const killed = it.node.drill.killHost(0);
    const answers = await Promise.all([1, 2, 3, 4].map(() => get('/')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await killed;
    await untilWhole(it.node);
    expect((await get('/')).status).toBe(200);
  });
});
