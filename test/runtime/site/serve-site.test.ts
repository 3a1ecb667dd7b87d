import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveSite, type ServedSite } from '#runtime/site/serve-site.ts';
import { packSite, siteFiles, unpackSite } from '#runtime/site/site-files.ts';

/** No text. */
const PICTURE = Buffer.from([0x52, 0x49, 0x46, 0x46, 0xff, 0xfe, 0x00, 0x80]);
const folder = mkdtempSync(join(tmpdir(), 'skep-site-'));
let site: ServedSite;

beforeAll(async () => {
  const dir = join(folder, 'site');
  mkdirSync(join(dir, 'how-to'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(dir, 'index.html'), '<p>first</p>');
  writeFileSync(join(dir, '404.html'), '<p>no such page</p>');
  writeFileSync(join(dir, 'a.js'), 'a');
  writeFileSync(join(dir, 'a.webp'), PICTURE);
  writeFileSync(join(dir, 'how-to/index.html'), '<p>how</p>');
  symlinkSync('../secret.txt', join(dir, 'link.html'));
  site = await serveSite(siteFiles(dir), 0);
});
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

const ask = (path: string, init?: RequestInit) => fetch(new URL(path, site.url), init);

test('a file is answered by its name, the first page of a folder by the folder', async () => {
  const page = await ask('/');
  expect([page.status, await page.text()]).toEqual([200, '<p>first</p>']);
  expect(await (await ask('/how-to/?q=1')).text()).toBe('<p>how</p>');
  expect((await ask('/a.js')).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  const picture = await ask('/a.webp');
  expect(picture.headers.get('content-type')).toBe('image/webp');
  expect(Buffer.from(await picture.arrayBuffer())).toEqual(PICTURE);
});

test('every answer forbids what is of elsewhere', async () => {
  for (const path of ['/', '/none']) {
    const { headers } = await ask(path);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('HEAD has no body, another verb is refused', async () => {
  const head = await ask('/', { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '12', '']);
  const post = await ask('/', { method: 'POST', body: 'x' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

/** As written: `fetch` would tidy the path up. */
function raw(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(new URL(site.url).port), '127.0.0.1');
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    socket.on('error', reject).on('close', () => resolve(text));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  });
}

test.each([
  '/../secret.txt',
  '/%2e%2e/secret.txt',
  '/..%2fsecret.txt',
  '//secret.txt',
  '/how-to',
  '/how-to/..',
  '/link.html',
  '/__proto__',
  '/a.js%00',
])('%s is no page: what is not of the list is not read', async (path) => {
  const answer = await raw(path);
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(answer).toContain('no such page');
  expect(answer).not.toContain('secret');
});

test('a port that is taken is an error', async () => {
  await expect(serveSite(new Map(), Number(new URL(site.url).port))).rejects.toThrow('EADDRINUSE');
});

test('a site is the same when it was packed; what is no text is not packed', () => {
  const dir = join(folder, 'site');
  expect(unpackSite(packSite(dir))).toEqual(siteFiles(dir));
  mkdirSync(join(folder, 'picture'));
  writeFileSync(join(folder, 'picture/a.png'), Buffer.from([0xff, 0xd8]));
  expect(() => packSite(join(folder, 'picture'))).toThrow();
});
